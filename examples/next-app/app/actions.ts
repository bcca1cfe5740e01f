'use server';

import { randomUUID } from 'node:crypto';
import type { SessionRef } from '@embedded-sessions/react';
import { revalidatePath } from 'next/cache';
import { bill } from './bill';
import { readSettings } from './operator';

/** Creates a session to pay the bill. The amount never comes from the page. */
export async function createPaymentSession(): Promise<SessionRef> {
  // A second tab, or a payer who reloads after paying, must not be charged again.
  await confirmPayment();
  if (bill.state !== 'Due') throw new Error('Nothing is due');
  const { businessUnit, client } = readSettings();
  const { sessionId, sessionUrl, environment, expiresInMs } = await client.payments.create(
    {
      BusinessUnitSlug: businessUnit,
      Channel: 'QuickPay',
      ClientReference: bill.reference,
      Charges: [
        {
          Amount: bill.amount,
          Description: 'Water and sewer',
          ClientAccount: { AccountNumber: bill.accountNumber, Name: bill.customer, Balance: bill.amount },
        },
      ],
    },
    // If nothing changed, the service returns the same session.
    { idempotencyKey: bill.reference },
  );
  bill.sessionId = sessionId;
  return { sessionUrl, environment, expiresInMs };
}

/** Queries the last session, because the page's result doesn't prove that the bill is paid. */
export async function confirmPayment(): Promise<void> {
  if (!bill.sessionId) return;
  const { businessUnit, client } = readSettings();
  const { Status, Payments } = await client.sessions.retrieve(businessUnit, bill.sessionId);
  // After ten declined payments, a session accepts no further one.
  if (Status === 'RequiresPaymentSource' && Payments.length < 10) return;
  bill.state = Status === 'Succeeded' ? 'Paid' : Status === 'Processing' ? 'On its way' : 'Due';
  // The session can't be paid any more, or the bank returned the payment, so the next payment needs a new session.
  if (bill.state === 'Due') Object.assign(bill, { reference: randomUUID(), sessionId: undefined });
  revalidatePath('/', 'layout');
}

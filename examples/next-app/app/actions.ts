'use server';

import { randomUUID } from 'node:crypto';
import type { SessionRef } from '@embedded-sessions/react';
import { revalidatePath } from 'next/cache';
import { bill, type Bill } from './bill';
import { readSettings } from './operator';

/** A session for what is owed: the amount is the ledger's, never the page's. */
export async function createPaymentSession(): Promise<SessionRef> {
  // A second tab, or a payer who reloads after paying, must not be charged again.
  await confirmPayment();
  if (bill.state !== 'due') throw new Error('Nothing is due');
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
    // While nothing changed, the service answers with the same session.
    { idempotencyKey: bill.reference },
  );
  bill.sessionId = sessionId;
  return { sessionUrl, environment, expiresInMs };
}

const STATES: Readonly<Record<string, Bill['state']>> = { Succeeded: 'paid', Processing: 'on its way' };

/** Asks the service what became of the last session; the page's own verdict moves no money. */
export async function confirmPayment(): Promise<void> {
  if (!bill.sessionId) return;
  const { businessUnit, client } = readSettings();
  const { Status } = await client.sessions.retrieve(businessUnit, bill.sessionId);
  if (Status === 'RequiresPaymentSource') return;
  bill.state = STATES[Status] ?? 'due';
  // It expired, or the bank sent the money back: the next payment is another one.
  if (bill.state === 'due') Object.assign(bill, { reference: randomUUID(), sessionId: undefined });
  revalidatePath('/', 'layout');
}

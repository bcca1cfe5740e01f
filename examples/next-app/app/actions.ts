'use server';

import type { SessionRef } from '@embedded-sessions/react';
import { revalidatePath } from 'next/cache';
import { bill } from './bill';
import { readSettings } from './operator';

/** A session for what is owed: the amount is the ledger's, never the page's. */
export async function createPaymentSession(): Promise<SessionRef> {
  await confirmPayment();
  if (bill.due === 0) throw new Error('Nothing is due');
  const { businessUnit, client } = readSettings();
  const { sessionId, sessionUrl, environment, expiresInMs } = await client.payments.create({
    BusinessUnitSlug: businessUnit,
    Channel: 'QuickPay',
    Charges: [
      {
        Amount: bill.due,
        Description: 'Water and sewer',
        ClientAccount: { AccountNumber: bill.accountNumber, Name: bill.customer, Balance: bill.due },
      },
    ],
  });
  bill.sessionId = sessionId;
  return { sessionUrl, environment, expiresInMs };
}

/** Asks the service what became of the last session; the page's own verdict moves no money. */
export async function confirmPayment(): Promise<void> {
  if (!bill.sessionId) return;
  const { businessUnit, client } = readSettings();
  const { Status } = await client.sessions.retrieve(businessUnit, bill.sessionId);
  if (Status !== 'Succeeded') return;
  bill.due = 0;
  bill.sessionId = undefined;
  revalidatePath('/', 'layout');
}

import { randomUUID } from 'node:crypto';

export interface Bill {
  accountNumber: string;
  customer: string;
  /** Cents. */
  amount: number;
  /** `on its way`: the bank has not answered yet. */
  state: 'due' | 'on its way' | 'paid';
  /** Reference of the payable session, so a second tab or press gets the same one. */
  reference: string;
  /** That session, if it was created. */
  sessionId: string | undefined;
}

// One bill in memory; a merchant would use a database. Next.js loads a module once per bundle, so the bill is a property of the
// process.
const shelf = globalThis as { bill?: Bill };

export const bill: Bill = (shelf.bill ??= {
  accountNumber: '4417-0032',
  customer: 'Ana Ruiz',
  amount: 7630,
  state: 'due',
  reference: randomUUID(),
  sessionId: undefined,
});

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

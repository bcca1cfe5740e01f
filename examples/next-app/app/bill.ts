import { randomUUID } from 'node:crypto';

export interface Bill {
  accountNumber: string;
  customer: string;
  /** Cents. */
  amount: number;
  /** `on its way`: the bank has been asked and has not answered yet. */
  state: 'due' | 'on its way' | 'paid';
  /** Of the session that may be paid now: a second tab or a second press asks for the same one. */
  reference: string;
  /** That session, once it was asked for. */
  sessionId: string | undefined;
}

// One bill in memory: what a merchant has a database for. Next.js loads a module once per bundle, so it hangs on the process.
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

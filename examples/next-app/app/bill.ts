import { randomUUID } from 'node:crypto';

interface Bill {
  accountNumber: string;
  customer: string;
  /** Cents. */
  amount: number;
  state: 'Due' | 'On its way' | 'Paid';
  /** The reference of the next session, so that a second tab or press reuses it. */
  reference: string;
  /** The session with that reference, once it is created. */
  sessionId: string | undefined;
}

// A merchant would use a database. Next.js loads a module once per bundle, so the bill is on `globalThis`.
const globals = globalThis as { bill?: Bill };

export const bill: Bill = (globals.bill ??= {
  accountNumber: '4417-0032',
  customer: 'Ana Reyes',
  amount: 7630,
  state: 'Due',
  reference: randomUUID(),
  sessionId: undefined,
});

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

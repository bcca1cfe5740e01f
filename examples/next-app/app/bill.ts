export interface Bill {
  accountNumber: string;
  customer: string;
  /** Cents. */
  due: number;
  /** The payment session that was opened last, until the service has said what became of it. */
  sessionId: string | undefined;
}

// One bill in memory: what a merchant has a database for. Next.js loads a module once per bundle, so it hangs on the process.
const shelf = globalThis as { bill?: Bill };

export const bill: Bill = (shelf.bill ??= {
  accountNumber: '4417-0032',
  customer: 'Ana Ruiz',
  due: 7630,
  sessionId: undefined,
});

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

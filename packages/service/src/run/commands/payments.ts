/** `payments export`: a business unit's payments as CSV, whose `Net` sums up to what was taken less what was given back. */
import type { Payment } from '@embedded-sessions/server-types';
import { MAX_LIST_LIMIT } from '@embedded-sessions/server-types';
import { paymentIn } from '../../domain/session-details.js';
import type { AttemptFilter } from '../../domain/attempt.js';
import { nextPage } from '../../domain/list-cursor.js';
import type { Cursor, Page } from '../../domain/list-cursor.js';
import type { Store } from '../../domain/store.js';
import { misused, parse, print, required, text, type Command } from './command.js';
import { requiredDatabase, withStore } from './database.js';

export const payments: Command = {
  usage: 'payments export --business-unit SLUG [--from ISO] [--to ISO] --database FILE | postgres://…',
  run: async ([action = '', ...args]) => {
    if (action !== 'export') throw misused(`There is no command "payments ${action}".`);
    const { values } = parse(args, {
      'business-unit': { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      database: { type: 'string' },
    });
    const filter = {
      businessUnit: required(text(values['business-unit']), '--business-unit'),
      ...instant('from', text(values['from'])),
      ...instant('to', text(values['to'])),
    };
    await withStore(requiredDatabase(values), async (store) => {
      print(line(Object.keys(COLUMNS)));
      for await (const payment of paymentsOf(store, filter))
        print(line(Object.values(COLUMNS).map((column) => column(payment))));
    });
  },
};

/** Integer cents; a payment that came back has brought nothing, and what was given back of it before is lost. */
const COLUMNS: Readonly<Record<string, (payment: Payment) => string | number | undefined>> = {
  Id: ({ Id }) => Id,
  CreatedAt: ({ CreatedAt }) => CreatedAt,
  Status: ({ Status }) => Status,
  Amount: ({ Amount }) => Amount,
  Refunded: ({ Refunded }) => Refunded,
  Net: ({ Status, Amount, Refunded }) => (Status === 'succeeded' ? Amount : 0) - Refunded,
  Method: ({ Method }) => Method,
  Last4: ({ Last4 }) => Last4,
  Reason: ({ Reason }) => Reason,
  Reference: ({ Reference }) => Reference,
  ClientReference: ({ ClientReference }) => ClientReference,
  PaymentSessionIdentifier: ({ PaymentSessionIdentifier }) => PaymentSessionIdentifier,
};

async function* paymentsOf(
  store: Store,
  filter: Omit<AttemptFilter, 'limit' | 'after'>,
): AsyncGenerator<Payment> {
  let cursor: Cursor | undefined = { told: [] };
  while (cursor !== undefined) {
    const from: Cursor = cursor;
    const page: Page = await store.read((tx) =>
      nextPage(tx.attempts, { ...filter, limit: MAX_LIST_LIMIT }, from, Date.now()),
    );
    for (const attempt of page.attempts) yield paymentIn(attempt);
    cursor = page.next;
  }
}

function instant<K extends 'from' | 'to'>(name: K, value: string | undefined): { [P in K]?: number } {
  if (value === undefined) return {};
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw misused(`--${name} must be a day or an instant, ISO 8601: 2026-11-01.`);
  return { [name]: ms } as { [P in K]?: number };
}

/** RFC 4180; what a spreadsheet would take for a formula is told to be text. */
function line(values: readonly (string | number | undefined)[]): string {
  return values
    .map((value) => {
      const cell =
        typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
      return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
    })
    .join(',');
}

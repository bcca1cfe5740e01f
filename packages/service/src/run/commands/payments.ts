/** `payments export`: a business unit's payments as CSV, whose `Net` sums up to what was taken less what was given back. */
import type { Payment } from '@embedded-sessions/server-types';
import { MAX_LIST_LIMIT } from '@embedded-sessions/server-types';
import { paymentIn } from '../../domain/session-details.js';
import type { AttemptFilter } from '../../domain/attempt.js';
import { given } from '../../domain/given.js';
import { nextPage } from '../../domain/list-cursor.js';
import type { Cursor, Page } from '../../domain/list-cursor.js';
import type { Store } from '../../domain/store.js';
import { businessUnit, instant, misused, parse, print, text, type Command } from './command.js';
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
    const from = instant(text(values['from']), '--from');
    const to = instant(text(values['to']), '--to');
    if (from !== undefined && to !== undefined && from > to)
      throw misused('--from must not be after --to, or nothing would be exported.');
    const filter = {
      businessUnit: businessUnit(text(values['business-unit'])),
      ...given({ from, to }),
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

/** Full-width signs too: a spreadsheet of an East Asian locale reads them as the others. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/** RFC 4180; what a spreadsheet would take for a formula is told to be text. */
function line(values: readonly (string | number | undefined)[]): string {
  return values
    .map((value) => {
      const cell = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
      return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
    })
    .join(',');
}

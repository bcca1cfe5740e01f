/**
 * `payments export`: a business unit's payments at one moment as CSV, whose `Net` sums up to what was taken by then less
 * what was given back.
 */
import type { Payment } from '@embedded-sessions/server-types';
import { MAX_LIST_LIMIT } from '@embedded-sessions/server-types';
import { paymentIn } from '../sessions/rules/session-details.js';
import { endsTooSoon, type Attempt, type AttemptFilter } from '../payments/rules/attempt.js';
import { given } from '../core/given.js';
import type { StoreTx } from '../core/store.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import { businessUnit, instant, misused, noSuchAction, parse, text, type Command } from './command.js';
import { requiredDatabase, withReport } from './database.js';

export const payments: Command = {
  usage: 'payments export --business-unit SLUG [--from ISO] [--to ISO] --database FILE | postgres://…',
  run: async ([action = '', ...args]) => {
    if (action !== 'export') throw noSuchAction('payments', action);
    const { values } = parse(args, {
      'business-unit': { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      database: { type: 'string' },
    });
    const from = instant(text(values['from']), '--from');
    const to = instant(text(values['to']), '--to');
    const span = given({ from, to });
    const wrong = endsTooSoon(span, '--from', '--to');
    if (wrong !== null) throw misused(wrong);
    const filter = { businessUnit: businessUnit(text(values['business-unit'])), ...span };
    await withReport(requiredDatabase(values), async (tx, tell) => {
      await refuseUnknownUnit(tx, filter.businessUnit);
      await tell(line(Object.keys(COLUMNS)));
      for await (const page of pagesOf(tx, filter)) {
        const payments = page.map(paymentIn);
        await tell(
          payments.map((each) => line(Object.values(COLUMNS).map((column) => column(each)))).join(''),
        );
      }
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

/** Of one moment, so that where a page ends the next begins; oldest first. */
async function* pagesOf(
  { attempts }: Pick<StoreTx, 'attempts'>,
  filter: Omit<AttemptFilter, 'limit' | 'after'>,
): AsyncGenerator<readonly Attempt[]> {
  for (let after: Attempt | undefined; ;) {
    const page = await attempts.page({ ...filter, ...given({ after }), limit: MAX_LIST_LIMIT });
    yield page;
    if (page.length < MAX_LIST_LIMIT) return;
    after = page.at(-1);
  }
}

/** Full-width signs too: a spreadsheet of an East Asian locale reads them as the others. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/** RFC 4180; what a spreadsheet would take for a formula is told to be text. */
function line(values: readonly (string | number | undefined)[]): string {
  const cells = values.map((value) => {
    const cell = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
    return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${cells.join(',')}\n`;
}

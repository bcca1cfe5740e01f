/** `payments export`: a business unit's payments in their current state, as CSV. For bookkeeping, use `ledger export`. */
import { MAX_LIST_LIMIT, type Payment } from '@embedded-sessions/server-types';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { defined } from '../core/defined.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  instant,
  usageError,
  text,
  type Command,
  type Options,
  type Values,
} from './command.js';
import { csvLine } from './csv.js';
import { reconcile } from './reconcile.js';
import { pagesOf, requiredDatabase, withReport } from './database.js';

const EXPORT_OPTIONS: Options = {
  'business-unit': BUSINESS_UNIT_OPTION,
  from: { type: 'string', help: 'export: created at this ISO 8601 time or later; reconcile: the first day' },
  to: {
    type: 'string',
    help: 'export: created before this ISO 8601 time; reconcile: the day after the last one',
  },
  database: DATABASE_OPTION,
};
const RECONCILE_OPTIONS: Options = {
  ...EXPORT_OPTIONS,
  statement: {
    type: 'string',
    help: "reconcile: the processor's statement as CSV, with the columns Reference or AttemptId, and Amount in cents",
  },
};

export const payments: Command = {
  usage: `payments export --business-unit SLUG [--from ISO] [--to ISO] --database FILE | postgres://…
payments reconcile --business-unit SLUG --from DATE --to DATE --statement FILE.csv
  --database FILE | postgres://…`,
  summary: "Exports payments as CSV, or compares a processor's statement with the ledger.",
  actions: {
    export: { options: EXPORT_OPTIONS, run: exportPayments },
    reconcile: { options: RECONCILE_OPTIONS, run: reconcile },
  },
};

async function exportPayments(values: Values): Promise<void> {
  const from = instant(text(values['from']), '--from');
  const to = instant(text(values['to']), '--to');
  const span = defined({ from, to });
  // NaN compares false, so open periods are valid.
  if (Number(from) >= Number(to)) throw usageError('--to must be after --from: the period ends before it.');

  const filter = { businessUnit: businessUnit(text(values['business-unit'])), ...span };
  await withReport(requiredDatabase(values), async (tx, write) => {
    await refuseUnknownUnit(tx, filter.businessUnit);
    await write(csvLine(COLUMNS));
    for await (const page of pagesOf<Attempt>(MAX_LIST_LIMIT, (at) =>
      tx.attempts.page({ ...filter, ...at }),
    )) {
      const payments = page.map(paymentIn);
      await write(payments.map((each) => csvLine(COLUMNS.map((column) => each[column]))).join(''));
    }
  });
}

/** Amounts are integer cents. */
const COLUMNS = [
  'Id',
  'CreatedAt',
  'Status',
  'Amount',
  'Refunded',
  'Method',
  'Last4',
  'Reason',
  'Reference',
  'ClientReference',
  'PaymentSessionIdentifier',
] as const satisfies readonly (keyof Payment)[];

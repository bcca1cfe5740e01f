/** `payments export` and `payments reconcile`. For bookkeeping, use `ledger export`. */
import { MAX_LIST_LIMIT, type Payment } from '@embedded-sessions/server-types';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { AttemptPosition } from '../payments/rules/attempt.js';
import { defined } from '../core/defined.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  instant,
  usageError,
  type Command,
  type ValuesOf,
  print,
  printed,
  required,
} from './command.js';
import { csvLine, csvRows } from './csv.js';
import { pagesOf, requiredDatabase, withReport, withStore } from './database.js';
import { readFileSync } from 'node:fs';
import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';
import { refundIdOf } from '../ledger/rules.js';
import { ledgerPages, periodOf, type LedgerPeriod } from './ledger.js';

const EXPORT_OPTIONS = {
  'business-unit': BUSINESS_UNIT_OPTION,
  from: { type: 'string', help: 'export: created at this ISO 8601 time or later; reconcile: the first day' },
  to: {
    type: 'string',
    help: 'export: created before this ISO 8601 time; reconcile: the day after the last one',
  },
  database: DATABASE_OPTION,
} as const;
const RECONCILE_OPTIONS = {
  ...EXPORT_OPTIONS,
  statement: {
    type: 'string',
    help: "reconcile: the processor's statement as CSV, with the columns Reference or AttemptId, and Amount in cents",
  },
} as const;

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

async function exportPayments(values: ValuesOf<typeof EXPORT_OPTIONS>): Promise<void> {
  const from = instant(values.from, '--from');
  const to = instant(values.to, '--to');
  const span = defined({ from, to });
  // NaN compares false, so open periods are valid.
  if (Number(from) >= Number(to)) throw usageError('--to must be after --from: the period ends before it.');

  const filter = { businessUnit: businessUnit(values['business-unit']), ...span };
  await withReport(requiredDatabase(values), async (tx, write) => {
    await refuseUnknownUnit(tx, filter.businessUnit);
    await write(csvLine(COLUMNS));
    for await (const page of pagesOf<AttemptPosition>(MAX_LIST_LIMIT, (at) =>
      tx.attempts.positions({ ...filter, ...at }),
    )) {
      const payments = (await tx.attempts.at(page)).map(paymentIn);
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

/** @throws ServiceError `statement_differs`, after printing the differences */
async function reconcile(values: ValuesOf<typeof RECONCILE_OPTIONS>): Promise<void> {
  const period = periodOf(values);
  const statement = readStatement(required(values.statement, '--statement'));
  const booked = await withStore(requiredDatabase(values), (store) =>
    store.read(async (tx) => {
      const ledger = await readLedger(tx, period);
      await addReferences(tx, ledger, statement);
      return ledger;
    }),
  );
  const compared = compare(statement, booked);
  const differences = compared.filter((sums) => sums.statement !== sums.ledger);
  if (differences.length === 0) {
    const total = compared.reduce((sum, { ledger }) => sum + ledger, 0);
    print(`No difference: ${compared.length} payments, ${total} cents.`);
    return;
  }

  // A reader such as `head` may end this process before the error.
  process.exitCode = 1;
  process.stdout.write(csvLine(['PaymentId', 'Reference', 'Statement', 'Ledger', 'Difference']));
  for (const { paymentId, reference, statement: theirs, ledger: ours } of differences)
    await printed(csvLine([paymentId, reference, theirs, ours, theirs - ours]));
  throw new ServiceError(
    'statement_differs',
    `The statement and the ledger differ in ${differences.length} of ${compared.length} payments.`,
  );
}

interface StatementRow {
  readonly attemptId: string;
  readonly reference: string;
  readonly amount: number;
}

function readStatement(file: string): StatementRow[] {
  const rows = csvRows(readFile(file));
  const top = rows.findIndex((row) => row.length > 0);
  const header = rows[top] ?? [];
  const [attemptId, reference, amount] = ['AttemptId', 'Reference', 'Amount'].map((name) =>
    header.indexOf(name),
  ) as [number, number, number];
  if (amount < 0 || (attemptId < 0 && reference < 0))
    throw usageError(`The statement must have the column Amount, and Reference or AttemptId.`);

  return rows.flatMap((row, place) => {
    if (place <= top || row.length === 0) return [];

    const found = {
      attemptId: row[attemptId]?.trim() ?? '',
      reference: row[reference]?.trim() ?? '',
      amount: Number(row[amount]),
    };
    const problem = (what: string): ServiceError => usageError(`Row ${place + 1} of the statement: ${what}`);
    if (row.length > header.length)
      throw problem('It has more cells than the header. Quote cells that contain a comma.');
    if (!/^\s*[+-]?\d+\s*$/.test(row[amount] ?? '') || !Number.isSafeInteger(found.amount))
      throw problem('Amount must be whole cents, such as 1250 or -1250.');
    if (found.attemptId === '' && found.reference === '') throw problem('Reference or AttemptId is missing.');
    return found;
  });
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw usageError(`--statement cannot be read: ${(cause as NodeJS.ErrnoException).code}.`, cause);
  }
}

interface BookedPayment {
  readonly paymentId: string;
  /** The ids that the adapter received for the payment and its refunds. */
  readonly ids: Set<string>;
  /** The processor's ids of the payment, its refunds and its return. */
  readonly references: Set<string>;
  amount: number;
  /** Whether the payment itself is in the period. */
  isPaidHere: boolean;
}

async function readLedger(tx: StoreTx, period: LedgerPeriod): Promise<BookedPayment[]> {
  const booked = new Map<string, BookedPayment>();
  for await (const page of ledgerPages(tx, period))
    for (const entry of page) {
      const { paymentId, type, reference, amount } = entry;
      const payment = booked.get(paymentId) ?? {
        paymentId,
        ids: new Set([paymentId]),
        references: new Set(),
        amount: 0,
        isPaidHere: false,
      };
      booked.set(paymentId, payment);
      payment.amount += amount;
      payment.ids.add(refundIdOf(entry));
      if (reference !== undefined) payment.references.add(reference);
      if (type === 'payment') payment.isPaidHere = true;
    }

  // A statement may list a refund under its payment's reference, and the payment may be from an earlier period.
  for (const { paymentId, references, isPaidHere } of booked.values())
    if (!isPaidHere)
      for (const { reference } of await tx.ledger.ofPayment(paymentId))
        if (reference !== undefined) references.add(reference);
  return [...booked.values()];
}

/** If an event settled a payment or refund before the processor's response, the ledger has the event's reference. */
async function addReferences(
  tx: StoreTx,
  booked: readonly BookedPayment[],
  statement: readonly StatementRow[],
): Promise<void> {
  const byId = new Map(booked.map((payment) => [payment.paymentId, payment]));
  const known = new Set(booked.flatMap(({ references }) => [...references]));
  for (const { reference } of statement) {
    if (reference === '' || known.has(reference)) continue;
    const refund = await tx.refunds.byReference(reference);
    const payment = refund ? { id: refund.attemptId } : await tx.attempts.byReference(reference);
    byId.get(payment?.id ?? '')?.references.add(reference);
  }
}

interface Sums {
  /** Empty if only the statement contains it, with a reference. */
  readonly paymentId: string;
  readonly reference: string;
  statement: number;
  readonly ledger: number;
}

function compare(statement: readonly StatementRow[], booked: readonly BookedPayment[]): Sums[] {
  const byAttempt = new Map<string, Sums>();
  const byReference = new Map<string, Sums>();
  const all: Sums[] = [];
  for (const { paymentId, ids, references, amount } of booked) {
    const [reference = ''] = references;
    const sums: Sums = { paymentId, reference, statement: 0, ledger: amount };
    all.push(sums);
    for (const each of ids) byAttempt.set(each, sums);
    for (const each of references) byReference.set(each, sums);
  }

  for (const { attemptId, reference, amount } of statement) {
    let sums = byAttempt.get(attemptId) ?? byReference.get(reference);
    if (sums === undefined) {
      sums = { paymentId: attemptId, reference, statement: 0, ledger: 0 };
      all.push(sums);
      if (attemptId !== '') byAttempt.set(attemptId, sums);
      if (reference !== '') byReference.set(reference, sums);
    }
    sums.statement += amount;
  }
  return all;
}

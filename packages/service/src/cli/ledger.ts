/** `ledger export`: movements between two days, one line per movement and account, as CSV or JSON. */
import { startOf } from '../core/day.js';
import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';
import { isLedgerComplete } from '../ledger/backfill.js';
import { refundIdOf, type LedgerEntry, type LedgerFilter } from '../ledger/rules.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  usageError,
  required,
  type Command,
  type ValuesOf,
} from './command.js';
import { csvLine, jsonLine } from './csv.js';
import { pagesOf, requiredDatabase, withReport } from './database.js';

const OPTIONS = {
  'business-unit': BUSINESS_UNIT_OPTION,
  from: { type: 'string', help: 'First day, such as 2026-11-01, in the time zone of the business unit' },
  to: { type: 'string', help: 'The day after the last one, such as 2026-12-01' },
  format: { type: 'string', default: 'csv', help: 'csv or json' },
  database: DATABASE_OPTION,
} as const;

export const ledger: Command = {
  usage: `ledger export --business-unit SLUG --from DATE --to DATE [--format csv|json]
  --database FILE | postgres://…`,
  summary: 'Exports payments, refunds and returns for bookkeeping.',
  actions: { export: { options: OPTIONS, run: exportLedger } },
};

async function exportLedger(values: ValuesOf<typeof OPTIONS>): Promise<void> {
  const { start, entry, end } = formatOf(values.format);
  const period = periodOf(values);
  await withReport(requiredDatabase(values), async (tx, write) => {
    await write(start);
    let count = 0;
    for await (const page of ledgerPages(tx, period))
      await write(page.map((each) => entry(each, count++)).join(''));
    await write(end);
  });
}

export type LedgerPeriod = Pick<LedgerFilter, 'businessUnit' | 'from' | 'to'>;

type PeriodOption = 'business-unit' | 'from' | 'to';

export function periodOf(values: { readonly [Name in PeriodOption]?: string | undefined }): LedgerPeriod {
  const from = day(values.from, '--from');
  const to = day(values.to, '--to');
  if (from >= to) throw usageError('--to must be after --from: it is the day after the last one.');
  return { businessUnit: businessUnit(values['business-unit']), from, to };
}

function day(value: string | undefined, flag: string): string {
  const given = required(value, flag);
  if (/^\d{4}-\d\d-\d\d$/.test(given) && startOf(given) !== null) return given;
  throw usageError(`${flag} must be a day, such as 2026-01-31.`);
}

const PAGE_SIZE = 500;

/** @throws ServiceError for a business unit that the service doesn't know, and until all payments are booked */
export async function* ledgerPages(
  tx: StoreTx,
  period: LedgerPeriod,
): AsyncGenerator<readonly LedgerEntry[]> {
  await refuseUnknownUnit(tx, period.businessUnit);
  if (!(await isLedgerComplete(tx)))
    throw new ServiceError(
      'ledger_incomplete',
      'The ledger does not contain all payments of the previous release yet. Keep the service running and try again later.',
    );

  yield* pagesOf<LedgerEntry>(PAGE_SIZE, (page) => tx.ledger.page({ ...period, ...page }));
}

const COLUMNS: Readonly<Record<string, (entry: LedgerEntry) => string | number>> = {
  Date: ({ date }) => date,
  Type: ({ type }) => type,
  PaymentId: ({ paymentId }) => paymentId,
  RefundId: (entry) => (entry.type === 'refund' ? refundIdOf(entry) : ''),
  SessionId: ({ sessionId }) => sessionId,
  AccountNumber: ({ accountNumber }) => accountNumber,
  SubAccountNumber: ({ subAccountNumber }) => subAccountNumber,
  Description: ({ description }) => description,
  Amount: ({ amount }) => amount,
  Method: ({ method }) => method,
  Reference: ({ reference = '' }) => reference,
};

const cellsOf = (entry: LedgerEntry): (string | number)[] =>
  Object.values(COLUMNS).map((column) => column(entry));

interface Format {
  readonly start: string;
  readonly entry: (entry: LedgerEntry, place: number) => string;
  readonly end: string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  csv: {
    start: csvLine(Object.keys(COLUMNS)),
    entry: (entry) => csvLine(cellsOf(entry)),
    end: '',
  },
  json: {
    start: '[',
    entry: (entry, place) => {
      const cells = cellsOf(entry);
      const line = Object.fromEntries(Object.keys(COLUMNS).map((name, index) => [name, cells[index]]));
      return `${place === 0 ? '\n' : ',\n'}${jsonLine(line)}`;
    },
    end: '\n]\n',
  },
};

function formatOf(name: string | undefined): Format {
  const format = Object.hasOwn(FORMATS, name ?? '') ? FORMATS[name ?? ''] : undefined;
  if (format === undefined) throw usageError('--format must be csv or json.');
  return format;
}

/** `ledger export`: movements between two days, one line per movement and account, as CSV or JSON. */
import { startOf } from '../core/day.js';
import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';
import { isLedgerComplete } from '../ledger/book-older.js';
import type { LedgerEntry, LedgerFilter } from '../ledger/rules.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  usageError,
  required,
  text,
  type Command,
  type Options,
  type Values,
} from './command.js';
import { csvLine, jsonLine } from './csv.js';
import { requiredDatabase, withReport } from './database.js';

const OPTIONS: Options = {
  'business-unit': BUSINESS_UNIT_OPTION,
  from: { type: 'string', help: 'First day, such as 2026-11-01, in the time zone of the business unit' },
  to: { type: 'string', help: 'The day after the last one, such as 2026-12-01' },
  format: { type: 'string', default: 'csv', help: 'csv or json' },
  database: DATABASE_OPTION,
};

export const ledger: Command = {
  usage: `ledger export --business-unit SLUG --from DATE --to DATE [--format csv|json]
  --database FILE | postgres://…`,
  summary: 'Exports payments, refunds and returns for bookkeeping.',
  actions: { export: { options: OPTIONS, run: exportLedger } },
};

async function exportLedger(values: Values): Promise<void> {
  const { start, entry, end } = formatOf(text(values['format']));
  const period = periodOf(values);
  await withReport(requiredDatabase(values), async (tx, write) => {
    await refuseUnknownUnit(tx, period.businessUnit);
    if (!(await isLedgerComplete(tx))) throw ledgerIncomplete();

    await write(start);
    let count = 0;
    for await (const page of ledgerPages(tx, period))
      await write(page.map((each) => entry(lineOf(each), count++)).join(''));
    await write(end);
  });
}

export type LedgerPeriod = Pick<LedgerFilter, 'businessUnit' | 'from' | 'to'>;

/** Reads `--business-unit`, `--from` and `--to`. */
export function periodOf(values: Values): LedgerPeriod {
  const from = day(values['from'], '--from');
  const to = day(values['to'], '--to');
  if (from > to) throw usageError('--from must not be after --to.');
  return { businessUnit: businessUnit(text(values['business-unit'])), from, to };
}

function day(value: Values[string], flag: string): string {
  const given = required(text(value), flag);
  if (/^\d{4}-\d\d-\d\d$/.test(given) && startOf(given) !== null) return given;
  throw usageError(`${flag} must be a day, such as 2026-01-31.`);
}

const AT_ONCE = 500;

/** Reads entries by date from one snapshot, so pages neither overlap nor leave gaps. */
export async function* ledgerPages(
  { ledger }: Pick<StoreTx, 'ledger'>,
  period: LedgerPeriod,
): AsyncGenerator<readonly LedgerEntry[]> {
  for (let after: LedgerEntry | undefined; ;) {
    const page = await ledger.page({ ...period, ...(after && { after }), limit: AT_ONCE });
    yield page;
    if (page.length < AT_ONCE) return;
    after = page.at(-1);
  }
}

export function ledgerIncomplete(): ServiceError {
  return new ServiceError(
    'ledger_incomplete',
    'The ledger does not contain all payments of the previous release yet. Keep the service running and try again later.',
  );
}

type Line = Readonly<Record<(typeof COLUMNS)[number], string | number>>;

const COLUMNS = [
  'Date',
  'Type',
  'PaymentId',
  'RefundId',
  'SessionId',
  'AccountNumber',
  'SubAccountNumber',
  'Description',
  'Amount',
  'Method',
  'Reference',
] as const;

function lineOf(entry: LedgerEntry): Line {
  return {
    Date: entry.date,
    Type: entry.type,
    PaymentId: entry.paymentId,
    RefundId: entry.type === 'refund' ? entry.id : '',
    SessionId: entry.sessionId,
    AccountNumber: entry.accountNumber,
    SubAccountNumber: entry.subAccountNumber,
    Description: entry.description,
    Amount: entry.amount,
    Method: entry.method,
    Reference: entry.reference ?? '',
  };
}

interface Format {
  readonly start: string;
  readonly entry: (line: Line, place: number) => string;
  readonly end: string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  csv: {
    start: csvLine(COLUMNS),
    entry: (line) => csvLine(COLUMNS.map((column) => line[column])),
    end: '',
  },
  json: {
    start: '[',
    entry: (line, place) => `${place === 0 ? '\n' : ',\n'}${jsonLine(line)}`,
    end: '\n]\n',
  },
};

function formatOf(name: string | undefined): Format {
  const format = Object.hasOwn(FORMATS, name ?? '') ? FORMATS[name ?? ''] : undefined;
  if (format === undefined) throw usageError('--format must be csv or json.');
  return format;
}

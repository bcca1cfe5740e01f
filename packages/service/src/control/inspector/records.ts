/** Stored fields that the inspector shows, and their titles. Unlisted fields stay hidden. */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../core/defined.js';
import { type Change, type EventKind, labelOf } from '../../shared/inspector.js';
import type { NewEvent } from './journal.js';

export type Row = Readonly<Record<string, unknown>>;

interface Area {
  readonly kind: EventKind;
  readonly what: string;
  readonly fields: readonly string[];
  readonly title: (row: Row, isNew: boolean) => string;
}

const dollars = (cents: unknown): string => `$${(Number(cents) / 100).toFixed(2)}`;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

type AreaName =
  | 'sessions'
  | 'accounts'
  | 'customers'
  | 'attempts'
  | 'refunds'
  | 'methods'
  | 'schedules'
  | 'autopay'
  | 'messages'
  | 'outbox';

export const AREAS: Readonly<Record<AreaName, Area>> = {
  sessions: {
    kind: 'session',
    what: 'session',
    fields: ['flow', 'status', 'declines', 'customerId', 'accountId', 'expiresAt'],
    title: ({ flow, status }, isNew) =>
      isNew ? `Session for ${text(flow)} created` : `Session is ${labelOf(text(status)).toLowerCase()}`,
  },
  accounts: {
    kind: 'account',
    what: 'account',
    fields: ['accountNumber', 'subAccountNumber', 'fields'],
    title: ({ accountNumber }, isNew) => `Account ${text(accountNumber)} ${isNew ? 'created' : 'synced'}`,
  },
  customers: {
    kind: 'account',
    what: 'customer',
    fields: ['emailAddress', 'firstName', 'lastName'],
    title: ({ emailAddress }, isNew) => `Customer ${text(emailAddress)} ${isNew ? 'created' : 'changed'}`,
  },
  attempts: {
    kind: 'payment',
    what: 'payment',
    fields: ['status', 'amount', 'refunded', 'reason', 'reference', 'lookups', 'dueAt'],
    title: ({ status, amount, reason }) =>
      `Payment of ${dollars(amount)} is ${text(status)}${reason === undefined ? '' : ` (${text(reason)})`}`,
  },
  refunds: {
    kind: 'payment',
    what: 'refund',
    fields: ['status', 'amount', 'attemptId', 'reason', 'reference'],
    title: ({ status, amount }) => `Refund of ${dollars(amount)} is ${text(status)}`,
  },
  methods: {
    kind: 'account',
    what: 'saved method',
    fields: ['method', 'brand', 'last4', 'expiry', 'removedAt', 'blocked'],
    title: ({ method, last4, removedAt }, isNew) => {
      const change = removedAt === undefined ? 'changed' : 'removed';
      return `${text(method)} ${text(last4)} ${isNew ? 'saved' : change}`;
    },
  },
  schedules: {
    kind: 'payment',
    what: 'scheduled payment',
    fields: ['status', 'amount', 'date', 'reason'],
    title: ({ status, amount, date }) => `Payment of ${dollars(amount)} for ${text(date)} is ${text(status)}`,
  },
  autopay: {
    kind: 'account',
    what: 'AutoPay',
    fields: ['accountId', 'customerId', 'methodId'],
    title: (_, isNew) => (isNew ? 'AutoPay turned on' : 'AutoPay used or changed'),
  },
  messages: {
    kind: 'message',
    what: 'message',
    fields: ['kind', 'channel', 'recipient', 'language', 'status', 'attempts', 'lastError', 'dueAt'],
    title: ({ kind, channel, recipient, status, lastError }) =>
      `${labelOf(text(kind))} by ${channel === 'sms' ? 'SMS' : 'email'} to ${text(recipient)} is ${text(status)}${lastError === undefined ? '' : `, ${text(lastError)}`}`,
  },
  outbox: {
    kind: 'webhook',
    what: 'webhook',
    fields: ['type', 'status', 'attempts', 'lastError', 'dueAt'],
    title: ({ type, status, attempts, lastError }, isNew) =>
      isNew
        ? `${text(type)} is queued`
        : `${text(type)}: ${text(status)} after ${attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`}${lastError === undefined ? '' : `, ${text(lastError)}`}`,
  },
};

export interface Written {
  readonly area: AreaName;
  /** Null if it is new. */
  readonly before: Row | null;
  readonly after: Row;
}

/** Null if no shown field has changed. */
export function changeOf({ area, before, after }: Written): Change | null {
  const { what, fields } = AREAS[area];
  const shown = (row: Row) => Object.fromEntries(fields.map((name) => [name, row[name]]));
  const was = before === null ? undefined : shown(before);
  const is = shown(after);
  if (isDeepStrictEqual(was, is)) return null;
  return { what, id: text(after['id'] ?? after['accountId']), ...defined({ was }), is } as Change;
}

const FAILED = ['declined', 'returned', 'failed'];

export function eventOf({ area, before, after }: Written): NewEvent {
  const { kind, title } = AREAS[area];
  const isNewWebhook = area === 'outbox' && after['status'] === 'pending' && after['attempts'] === 0;
  const isError = FAILED.includes(text(after['status'])) || after['lastError'] !== undefined;
  return defined({
    kind,
    level: isError ? 'error' : 'info',
    title: title(after, before === null),
    businessUnit: text(after['businessUnit']) || undefined,
    sessionId: text(after[area === 'sessions' ? 'id' : 'sessionId']) || undefined,
    webhookId: area === 'outbox' ? text(after['id']) : undefined,
    mailId: area === 'messages' ? text(after['id']) : undefined,
    isDue: isNewWebhook || undefined,
  });
}

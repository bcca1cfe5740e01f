/** Stored fields that the inspector shows, and their titles. Unlisted fields stay hidden. */
import { defined } from '../../core/defined.js';
import type { StoreTx } from '../../core/store.js';
import { type Change, type EventKind, type Json, labelOf } from '../../shared/inspector.js';
import type { NewEvent } from './journal.js';

type Row = Readonly<Record<string, unknown>>;

interface Area {
  readonly kind: EventKind;
  readonly what: string;
  readonly fields: readonly string[];
  title(row: Row, isNew: boolean): string;
  isError?(row: Row): boolean;
  readonly session?: 'id' | 'sessionId';
}

export const dollars = (cents: unknown): string => `$${(Number(cents) / 100).toFixed(2)}`;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const AREAS: Partial<Record<keyof StoreTx, Area>> = {
  sessions: {
    kind: 'session',
    what: 'session',
    fields: ['flow', 'status', 'declines', 'customerId', 'accountId', 'expiresAt'],
    session: 'id',
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
    fields: [
      'status',
      'amount',
      'refunded',
      'reason',
      'reference',
      'lookups',
      'dueAt',
      'source.method',
      'source.last4',
    ],
    session: 'sessionId',
    title: ({ status, amount, reason }) =>
      `Payment of ${dollars(amount)} is ${text(status)}${reason === undefined ? '' : ` (${text(reason)})`}`,
    isError: ({ status }) => status === 'declined' || status === 'returned',
  },
  refunds: {
    kind: 'payment',
    what: 'refund',
    fields: ['status', 'amount', 'attemptId', 'reason', 'reference'],
    title: ({ status, amount }) => `Refund of ${dollars(amount)} is ${text(status)}`,
    isError: ({ status }) => status === 'failed',
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
    session: 'sessionId',
    title: ({ status, amount, date }) => `Payment of ${dollars(amount)} for ${text(date)} is ${text(status)}`,
    isError: ({ status }) => status === 'failed',
  },
  autopay: {
    kind: 'account',
    what: 'AutoPay',
    fields: ['accountId', 'customerId', 'methodId'],
    session: 'sessionId',
    title: (_, isNew) => (isNew ? 'AutoPay turned on' : 'AutoPay used or changed'),
  },
  messages: {
    kind: 'message',
    what: 'message',
    fields: ['kind', 'channel', 'recipient', 'language', 'status', 'attempts', 'lastError', 'dueAt'],
    session: 'sessionId',
    title: ({ kind, channel, recipient, status, lastError }) =>
      `${labelOf(text(kind))} by ${channel === 'sms' ? 'SMS' : 'email'} to ${text(recipient)} is ${text(status)}${lastError === undefined ? '' : `, ${text(lastError)}`}`,
    isError: ({ lastError }) => lastError !== undefined,
  },
  outbox: {
    kind: 'webhook',
    what: 'webhook',
    fields: ['type', 'status', 'attempts', 'lastError', 'dueAt'],
    session: 'sessionId',
    title: ({ type, status, attempts, lastError }, isNew) =>
      isNew
        ? `${text(type)} is queued`
        : `${text(type)}: ${text(status)} after ${attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`}${lastError === undefined ? '' : `, ${text(lastError)}`}`,
    isError: ({ lastError }) => lastError !== undefined,
  },
};

export interface Written {
  readonly area: keyof StoreTx;
  readonly before: Row | null;
  readonly after: Row;
}

export function changeOf({ area, before, after }: Written): Change | null {
  const shown = AREAS[area];
  if (!shown) return null;

  const fields = shown.fields.flatMap((name) => leaves(name, at(before, name), at(after, name)));
  const changed = fields.flatMap(({ name, from, to }) => {
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ name, ...defined({ from, to }) }];
  });
  if (before && changed.length === 0) return null;
  return {
    what: shown.what,
    id: text(after['id'] ?? after['accountId']),
    action: before ? 'update' : 'insert',
    fields: changed,
  };
}

function leaves(name: string, from: Json | undefined, to: Json | undefined): Change['fields'] {
  if (!isObject(from) && !isObject(to)) return [{ name, ...defined({ from, to }) }];

  const [was, is] = [isObject(from) ? from : {}, isObject(to) ? to : {}];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) =>
    leaves(`${name}.${key}`, was[key], is[key]),
  );
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function eventOf({ area, before, after }: Written): NewEvent | null {
  const shown = AREAS[area];
  if (!shown) return null;

  const isNewWebhook = area === 'outbox' && after['status'] === 'pending' && after['attempts'] === 0;
  return defined({
    kind: shown.kind,
    level: shown.isError?.(after) ? 'error' : 'info',
    title: shown.title(after, before === null),
    businessUnit: text(after['businessUnit']) || undefined,
    sessionId: (shown.session && text(after[shown.session])) || undefined,
    webhookId: area === 'outbox' ? text(after['id']) : undefined,
    mailId: area === 'messages' ? text(after['id']) : undefined,
    isDue: isNewWebhook || undefined,
  });
}

function at(row: Row | null, path: string): Json | undefined {
  let value: unknown = row ?? undefined;
  for (const part of path.split('.')) value = (value as Row | undefined)?.[part];
  return value as Json | undefined;
}

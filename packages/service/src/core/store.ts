import type { Erasing } from '../accounts/rules/person.js';
import type { Account } from '../accounts/rules/account.js';
import type { AccountPayments } from '../payments/rules/account-payments.js';
import type { Attempts } from '../payments/rules/attempt.js';
import type { Authorizations } from '../payments/rules/authorization.js';
import type { Autopay } from '../autopay/rules.js';
import type { Customer } from '../accounts/rules/customer.js';
import { DAY_MS } from './day.js';
import type { Messages } from '../messages/rules.js';
import type { Inbox } from '../inbox/rules.js';
import type { Notifications } from '../preferences/rules.js';
import type { Paperless } from '../paperless/rules.js';
import type { Ledger } from '../ledger/rules.js';
import type { Refunds } from '../refunds/rules.js';
import type { Schedules } from '../schedules/rules.js';
import type { Session } from '../sessions/rules/session.js';
import type { Methods } from '../wallet/rules.js';
import type { Outbox } from '../webhooks/rules.js';

/**
 * Total time that a request may wait for the store, ms. Waits for the processor and for injected faults have
 * limits of their own.
 */
export const MAX_WAIT_MS = 18_000;

/**
 * Lifetime of an `Idempotency-Key`, ms. Session keys must live at least as long, because the stored response
 * contains the session URL.
 */
export const IDEMPOTENCY_LIFETIME_MS: number = DAY_MS;

/**
 * The service's storage. One transaction per request: everything commits or nothing does (D-9).
 *
 * Transactions use snapshot isolation and are retried after a conflict (40001, busy, unique violation). So `work` must
 * read and write only through `tx`, and competing decisions must write the same row (a status, a unique key), because
 * that is how the database detects the conflict.
 */
export interface Store {
  /**
   * Resolves when everything it read and wrote is durable, on a synchronous standby too, so a repeated response is as
   * safe as the first.
   * @throws ServiceError `unavailable` if the database does not respond in time
   */
  transaction<T>(
    work: (tx: StoreTx, repeated: boolean) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /** Reads one consistent snapshot without waiting for writers. `work` must not write. */
  read<T>(work: (tx: StoreTx) => Promise<T>): Promise<T>;
  /** Calls the listener after a transaction of this process has committed messages, with their business units. */
  onMessages(listener: (businessUnits: readonly string[]) => void): void;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /**
   * Set this if `work` can recognize its own earlier write, by a key of the request or an id generated beforehand. Only
   * then is it retried if the connection breaks during COMMIT, which leaves the outcome unknown. `repeated` is true then.
   */
  readonly repeatable?: boolean;
}

export interface StoreTx {
  readonly accounts: Accounts;
  readonly customers: Customers;
  readonly erasing: Erasing;
  readonly sessions: Sessions;
  readonly idempotency: Idempotency;
  readonly keys: Keys;
  readonly meta: Meta;
  readonly references: References;
  readonly attempts: Attempts;
  readonly accountPayments: AccountPayments;
  readonly refunds: Refunds;
  readonly ledger: Ledger;
  readonly methods: Methods;
  readonly authorizations: Authorizations;
  readonly autopay: Autopay;
  readonly paperless: Paperless;
  readonly schedules: Schedules;
  readonly notifications: Notifications;
  readonly outbox: Outbox;
  readonly messages: Messages;
  readonly inbox: Inbox;
  readonly agenda: Agenda;
}

export interface Agenda {
  next(systemNow: number): Promise<Upcoming>;
  /** @param now ms since the epoch */
  backlog(now: number): Promise<Backlog>;
}

/** Unfinished work, for metrics. */
export interface Backlog {
  /** Start of the oldest payment without an outcome, ms since the epoch, or null. */
  readonly processingSince: number | null;
  readonly areJobsHeld: boolean;
}

/** When each job has its first item to do, ms since the epoch, or null. */
export interface Upcoming extends Readonly<Record<'expire' | 'settle' | 'refund' | 'send', number | null>> {
  /** No process may run jobs (decision 0072). */
  readonly areJobsHeld: boolean;
  /** The position in the database's history, as stored (decision 0072). */
  readonly restoreMark: string | null;
  /** A processor event that hasn't been settled. */
  readonly receive: number | null;
  /** The first day on which a scheduled payment or AutoPay charge is due. */
  readonly chargeDay: string | null;
  /** A webhook that no process is delivering. */
  readonly deliver: number | null;
}

export interface Accounts {
  find(businessUnit: string, accountNumber: string, subAccountNumber: string): Promise<Account | null>;
  get(id: string): Promise<Account | null>;
  /** Like `get`. Writes the row unchanged, so that a sync or another lock of the account conflicts with this transaction. */
  lock(id: string): Promise<Account | null>;
  insert(account: Account): Promise<unknown>;
  update(account: Account): Promise<unknown>;
  list(businessUnit: string): Promise<Account[]>;
}

export interface Customers {
  /** `emailAddress` in any capitalization (D-6). */
  find(businessUnit: string, emailAddress: string): Promise<Customer | null>;
  get(id: string): Promise<Customer | null>;
  ofSession(sessionId: string): Promise<Customer | null>;
  insert(customer: Customer): Promise<unknown>;
  /** Writes everything but a new `emailAddress`. */
  update(customer: Customer): Promise<unknown>;
  /** Like `update`, with an `emailAddress` that no customer has in this transaction. */
  changeAddress(customer: Customer): Promise<unknown>;
  list(businessUnit: string): Promise<Customer[]>;
  /** Associates the customer with the account. Idempotent. */
  associate(customerId: string, accountId: string): Promise<unknown>;
  isAssociated(customerId: string, accountId: string): Promise<boolean>;
  hasCustomer(accountId: string): Promise<boolean>;
  /** Only for tests and the inspector: an account can have any number of customers. */
  ofAccount(accountId: string): Promise<Customer[]>;
}

export interface Sessions {
  get(id: string): Promise<Session | null>;
  /** Like `get`, but if the request has more than 16 KiB, only its size is read. */
  peek(id: string): Promise<Session | null>;
  /** Like `get`, without the request, which can have 256 KiB. */
  head(id: string): Promise<Pick<Session, 'businessUnit' | 'flow'> | null>;
  insert(session: Session): Promise<unknown>;
  /** Reads a session again and writes its row unchanged, so that canceling or erasing it conflicts with this transaction. */
  lock<S extends Session>(session: S): Promise<S>;
  /** Writes `status`, `declines`, `customerId` and `abandoned` of an existing session. */
  update(session: Session): Promise<unknown>;
  /**
   * Counts a new payment method that the session sends to the processor, unless the page's `requestId` has begun a
   * payment. Always writes the row, so that the response waits for a durable COMMIT. Resolves to the count.
   */
  countTry(id: string, requestId?: string): Promise<number>;
  /** Open sessions that expired before `now`, oldest first, including unreadable ones. */
  due(now: number, limit: number): Promise<Pick<Session, 'id'>[]>;
  /** Sessions after an id, in the order of their ids, which sort by time. Reads no requests. */
  stored(afterId: string, limit: number): Promise<StoredSession[]>;
  requestBytes(id: string): Promise<number>;
  /** The request as stored, JSON. */
  requestOf(id: string): Promise<string>;
  replaceRequest(id: string, request: string): Promise<unknown>;
  list(businessUnit: string): Promise<Session[]>;
  /** The latest `limit` sessions, newest first. A request over 16 KiB is empty. */
  latest(limit: number): Promise<Session[]>;
  /**
   * Samples the session keys in use: those of the `newest` newest sessions, and of the first session after each id.
   * Ids sort by time; sessions before the first id are ignored.
   */
  secretKeyIds(afterIds: readonly [string, ...string[]], newest: number): Promise<string[]>;
}

export interface StoredSession {
  readonly id: string;
  readonly createdAt: number;
  /** Size of its request. */
  readonly bytes: number;
}

/** `ClientReference`s in use. */
export interface References {
  /** False if it was already taken. */
  take(businessUnit: string, reference: string): Promise<boolean>;
}

/** A stored response to repeat. */
export interface IdempotentResponse {
  readonly apiKey: string;
  readonly endpoint: string;
  readonly idempotencyKey: string;
  readonly bodyHash: string;
  readonly answer: string;
  readonly expiresAt: number;
}

export interface Idempotency {
  find(apiKey: string, endpoint: string, key: string): Promise<IdempotentResponse | null>;
  /** Replaces an expired response of the same key. */
  put(answer: IdempotentResponse): Promise<unknown>;
  /** Deletes up to `limit` expired responses. Resolves to the number deleted. */
  deleteExpired(now: number, limit: number): Promise<number>;
}

export interface ApiKey {
  /** Public id of the key, for `keys revoke` and logs. */
  readonly id: string;
  /** `sha256:<hex>` of the key. */
  readonly hash: string;
  readonly businessUnits: readonly string[];
  readonly createdAt: number;
}

export interface Keys {
  active(): Promise<ApiKey[]>;
  insert(key: ApiKey): Promise<unknown>;
  /** False if there is no such active key. */
  revoke(id: string, now: number): Promise<boolean>;
}

/** Facts about the database itself: its environment, clock offset, generated session keys, business units, … */
type MetaName =
  | 'environment'
  | 'clock-offset'
  | 'session-keys'
  | 'session-key-marks'
  | 'probed'
  | 'time-zones'
  | 'account-ids'
  | 'fingerprint-key'
  | 'ledger'
  | 'restore-mark'
  | 'jobs-held'
  | 'sessions-trimmed-2';

export interface Meta {
  get(name: MetaName): Promise<string | null>;
  set(name: MetaName, value: string): Promise<unknown>;
  /** Commits a small durable write, on synchronous standbys too, without waiting for other processes' locks. */
  probe(): Promise<unknown>;
  /** Empties everything except the keys and resets the clock, for the control API. */
  clear(): Promise<unknown>;
}

/** Passes the time and new ids to rules and transactions, which may not read the clock or random numbers. */
export interface TxContext {
  readonly now: number;
  readonly newId: (prefix: string) => string;
}

/** The result of a statement that its transaction doesn't depend on. */
export interface InFlight<T> {
  readonly result: Promise<T>;
}

/** Lets a transaction return a result that it doesn't wait for, so that the COMMIT travels with the statement. */
export function inFlight<T>(result: Promise<T>): InFlight<T> {
  // If the statement fails, so does the COMMIT.
  result.catch(() => undefined);
  return { result };
}

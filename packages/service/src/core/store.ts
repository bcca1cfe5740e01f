import type { Account } from '../accounts/rules/account.js';
import type { Attempts } from '../payments/rules/attempt.js';
import type { Authorizations } from '../payments/rules/authorization.js';
import type { Autopay } from '../autopay/rules.js';
import type { Customer } from '../accounts/rules/customer.js';
import { DAY_MS } from './day.js';
import type { Notifications } from '../preferences/rules.js';
import type { Paperless } from '../paperless/rules.js';
import type { Refunds } from '../refunds/rules.js';
import type { Schedules } from '../schedules/rules.js';
import type { Session } from '../sessions/rules/session.js';
import type { Methods } from '../wallet/rules.js';
import type { Origin, Outbox } from '../webhooks/rules.js';

/**
 * All waits of one request for the store together, ms; what it waits for otherwise, a processor or a test's fault,
 * has its own limits.
 */
export const LONGEST_WAIT_MS = 18_000;

/**
 * How long a request is answered again under its `Idempotency-Key`, ms. As long the key is needed of a session
 * whose URL may be asked for so.
 */
export const IDEMPOTENCY_LIFETIME_MS: number = DAY_MS;

/**
 * Where the service keeps everything. One transaction per request: all of it commits or nothing (D-9).
 *
 * Transactions are snapshot isolated, and run again when they lose to another (40001, busy, a unique key that
 * another took first): so `work` does nothing but read and write through `tx`, and a decision must write a row
 * that the rival decision writes too (a status, a unique key), for that is where the loser is noticed.
 */
export interface Store {
  /**
   * Resolves when all of it is as safe as the database can make it, what it has only read too: with a synchronous
   * standby, there as well. So an answer that is given again is as good as the first one.
   * @throws ServiceError `unavailable` where the database does not answer in time
   */
  transaction<T>(
    work: (tx: StoreTx, repeated: boolean) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /** One consistent look at what is there, waiting for no writer; `work` writes nothing. */
  read<T>(work: (tx: StoreTx) => Promise<T>): Promise<T>;
  /** Calls the listener when a transaction of this process has committed messages to deliver. */
  onMessages(listener: () => void): void;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /**
   * `work` finds what it has done and answers the same again, by a key of its request or an id that was made before:
   * only then is it run again where the connection broke during the COMMIT and nobody knows what became of it. It is
   * told so by `repeated`.
   */
  readonly repeatable?: boolean;
  /** Messages that it writes tell of this request. */
  readonly origin?: Origin;
}

/** The repositories of one transaction, one per area. */
export interface StoreTx {
  readonly accounts: Accounts;
  readonly customers: Customers;
  readonly sessions: Sessions;
  readonly idempotency: Idempotency;
  readonly keys: Keys;
  readonly meta: Meta;
  readonly references: References;
  readonly attempts: Attempts;
  readonly refunds: Refunds;
  readonly methods: Methods;
  readonly authorizations: Authorizations;
  readonly autopay: Autopay;
  readonly paperless: Paperless;
  readonly schedules: Schedules;
  readonly notifications: Notifications;
  readonly outbox: Outbox;
  readonly agenda: Agenda;
}

/** What waits for its time, of all kinds at once. */
export interface Agenda {
  next(systemNow: number): Promise<Upcoming>;
  /** How much waits, counted up to `most`. */
  backlog(most: number): Promise<Backlog>;
}

/** What has not come to its end yet, for whoever watches over the service. */
export interface Backlog {
  /** Webhook messages that are still tried. */
  readonly messages: number;
  /** When the oldest payment was begun whose outcome is not known, ms since the epoch; null where there is none. */
  readonly processingSince: number | null;
}

/** When the first of each is due, ms since the epoch; null where there is none. */
export interface Upcoming {
  /** The clock's offset, which says what time it is. */
  readonly clockOffset: number;
  readonly expiry: number | null;
  readonly attempt: number | null;
  readonly refund: number | null;
  /** ISO 8601. */
  readonly scheduledDay: string | null;
  /** One that nobody is delivering. */
  readonly message: number | null;
}

export interface Accounts {
  find(businessUnit: string, accountNumber: string, subAccountNumber: string): Promise<Account | null>;
  get(id: string): Promise<Account | null>;
  insert(account: Account): Promise<void>;
  update(account: Account): Promise<void>;
  list(businessUnit: string): Promise<Account[]>;
}

export interface Customers {
  /** `emailAddress` in any spelling (D-6). */
  find(businessUnit: string, emailAddress: string): Promise<Customer | null>;
  get(id: string): Promise<Customer | null>;
  insert(customer: Customer): Promise<void>;
  update(customer: Customer): Promise<void>;
  list(businessUnit: string): Promise<Customer[]>;
  /** Remembers that the customer belongs to the account; once is enough. */
  associate(customerId: string, accountId: string): Promise<void>;
  ofAccount(accountId: string): Promise<Customer[]>;
}

export interface Sessions {
  get(id: string): Promise<Session | null>;
  insert(session: Session): Promise<void>;
  /** Writes `status`, `declines`, `customerId`, `abandoned` of a session that is there. */
  update(session: Session): Promise<void>;
  /** Adds one to how often the session handed a new payment method to the processor, and resolves that number. */
  countTry(id: string): Promise<number>;
  /** Sessions past `now` that still wait for their payer, oldest first; one that cannot be read is found too. */
  due(now: number, limit: number): Promise<Pick<Session, 'id' | 'expiresAt'>[]>;
  list(businessUnit: string): Promise<Session[]>;
  /** At most `limit` of these business units, the newest first. */
  latest(businessUnits: readonly string[], limit: number): Promise<Session[]>;
  /**
   * Session keys of sessions whose ids, which sort by time, come after the first of these: of the newest, at most `newest`
   * of them, and of the first one after each id. No more are read, however many there are.
   */
  secretKeyIds(afterIds: readonly [string, ...string[]], newest: number): Promise<string[]>;
}

/** References of the callers' (R-26). */
export interface References {
  /** False where it was taken before. */
  take(businessUnit: string, reference: string): Promise<boolean>;
}

/** an answer that is given again. */
export interface IdempotentAnswer {
  readonly apiKey: string;
  readonly endpoint: string;
  readonly key: string;
  readonly bodyHash: string;
  readonly answer: string;
  readonly expiresAt: number;
}

export interface Idempotency {
  find(apiKey: string, endpoint: string, key: string): Promise<IdempotentAnswer | null>;
  /** Replaces one of the same key that has run out. */
  put(answer: IdempotentAnswer): Promise<void>;
  /** At most `limit` of those that have run out; resolves how many that were. */
  deleteExpired(now: number, limit: number): Promise<number>;
}

export interface ApiKey {
  /** Public name of the key, for `keys revoke` and for logs. */
  readonly id: string;
  /** `sha256:<hex>` of the key. */
  readonly hash: string;
  readonly businessUnits: readonly string[];
  readonly createdAt: number;
}

export interface Keys {
  /** Those that were not revoked. */
  active(): Promise<ApiKey[]>;
  insert(key: ApiKey): Promise<void>;
  /** False where there is no such key in use. */
  revoke(id: string, now: number): Promise<boolean>;
}

/** Facts of the database itself: its environment, the clock's offset, session keys that were made for it, its business units. */
type MetaName =
  | 'environment'
  | 'clock-offset'
  | 'session-keys'
  | 'session-key-marks'
  | 'probed'
  | 'business-units';

export interface Meta {
  get(name: MetaName): Promise<string | null>;
  set(name: MetaName, value: string): Promise<void>;
  /** Writes what has to be committed, on disk and on every standby that is waited for, and waits for no other process. */
  probe(): Promise<void>;
  /** Empties every area but the keys, and puts the clock back: the control API's reset. */
  clear(): Promise<void>;
}

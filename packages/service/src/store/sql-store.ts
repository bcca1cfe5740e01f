import type { Transaction } from 'kysely';
import type { Store, StoreTx } from '../core/store.js';
import { accounts, customers } from '../accounts/store.js';
import { erasing } from '../accounts/erase.js';
import { agenda } from './agenda.js';
import { accountPayments } from '../payments/account-payments-store.js';
import { attempts } from '../payments/store.js';
import { authorizations } from '../payments/authorizations-store.js';
import { autopay } from '../autopay/store.js';
import type { Connection } from '../platform/databases/connection.js';
import { idempotency } from './idempotency.js';
import { ledger } from '../ledger/store.js';
import { currentContext } from '../platform/context.js';
import { inbox } from '../inbox/store.js';
import { keys } from '../platform/keys/api-keys.js';
import { messages } from '../messages/store.js';
import type { MessageSettings } from '../messages/rules.js';
import { meta } from './meta.js';
import { methods } from '../wallet/store.js';
import { notifications } from '../preferences/store.js';
import { outbox } from '../webhooks/store.js';
import { paperless } from '../paperless/store.js';
import { inTurn, retrying } from '../platform/databases/retry.js';
import { refunds } from '../refunds/store.js';
import { schedules } from '../schedules/store.js';
import { sessions, references } from '../sessions/store.js';
import type { Tables } from '../platform/databases/tables.js';

export interface StoreOptions {
  /** The messages that a business unit sends to payers. Default: none. */
  readonly messagesOf?: (businessUnit: string) => MessageSettings | null;
}

/** The store on either engine. It owns the connection and closes it. */
export function sqlStore(connection: Connection, { messagesOf = () => null }: StoreOptions = {}): Store {
  const changes = inTurn();
  const again = inTurn();
  const listeners: ((businessUnits: readonly string[]) => void)[] = [];
  const known = new WeakMap<Transaction<Tables>, Repositories>();
  const repositoriesOf = (tx: Transaction<Tables>): Repositories => {
    const made = known.get(tx) ?? makeRepositories(tx, messagesOf);
    known.set(tx, made);
    return made;
  };
  const run = <T>(
    mode: 'write' | 'read',
    work: (tx: StoreTx, repeated: boolean) => Promise<T>,
    repeatable: boolean,
    onMessage: OnMessage = () => undefined,
  ): Promise<T> => {
    const startedAt = performance.now();
    const runUntilDone = (): Promise<T> =>
      retrying(
        (repeated) =>
          connection.transaction(
            (tx) => {
              const repositories = repositoriesOf(tx);
              repositories.onMessage = onMessage;
              return work(repositories, repeated);
            },
            { mode },
          ),
        { again: (work) => again(queueOfRetries(), work), repeatable, startedAt },
      );
    const { pageOf } = currentContext();
    // Changes from the pages of one session would conflict with each other.
    return mode === 'write' && pageOf !== undefined ? changes(pageOf, runUntilDone) : runUntilDone();
  };
  return {
    transaction: async (work, { repeatable = false } = {}) => {
      const units = new Set<string>();
      const result = await run('write', work, repeatable, (businessUnit) => void units.add(businessUnit));
      if (units.size > 0) for (const listener of listeners) listener([...units]);
      return result;
    },
    read: (work) => run('read', work, true),
    onMessages: (listener) => void listeners.push(listener),
    close: () => connection.close(),
  };
}

/** Per session of a page, else per business unit, so that nobody waits for another's conflicts. */
function queueOfRetries(): string {
  const { businessUnit, sessionId } = currentContext().log;
  return JSON.stringify([businessUnit, sessionId]);
}

type OnMessage = (businessUnit: string) => void;

/** Cached per transaction object, because an engine reuses it for many transactions, one after another. */
interface Repositories extends StoreTx {
  /** Called when the current transaction writes a webhook. */
  onMessage: OnMessage;
}

function makeRepositories(
  tx: Transaction<Tables>,
  messagesOf: NonNullable<StoreOptions['messagesOf']>,
): Repositories {
  const webhooks = outbox(tx);
  const repositories: Repositories = {
    onMessage: () => undefined,
    accounts: accounts(tx),
    customers: customers(tx),
    erasing: erasing(tx),
    sessions: sessions(tx),
    idempotency: idempotency(tx),
    keys: keys(tx),
    meta: meta(tx),
    references: references(tx),
    attempts: attempts(tx),
    accountPayments: accountPayments(tx),
    refunds: refunds(tx),
    ledger: ledger(tx),
    methods: methods(tx),
    authorizations: authorizations(tx),
    autopay: autopay(tx),
    paperless: paperless(tx),
    schedules: schedules(tx),
    notifications: notifications(tx),
    outbox: {
      ...webhooks,
      insert: (message) => {
        repositories.onMessage(message.businessUnit);
        return webhooks.insert(message);
      },
    },
    messages: messages(tx, messagesOf),
    inbox: inbox(tx),
    agenda: agenda(tx),
  };
  return repositories;
}

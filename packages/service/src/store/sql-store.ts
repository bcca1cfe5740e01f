import type { Transaction } from 'kysely';
import type { Store, StoreTx } from '../core/store.js';
import { accounts } from '../accounts/store.js';
import { erasing } from '../accounts/erase.js';
import { agenda } from './agenda.js';
import { attempts } from '../payments/store.js';
import { authorizations } from '../payments/authorizations-store.js';
import { autopay } from '../autopay/store.js';
import type { Connection, TransactionOptions } from '../platform/databases/connection.js';
import { customers } from '../accounts/customers-store.js';
import { idempotency } from './idempotency.js';
import { ledger } from '../ledger/store.js';
import { inbox } from '../inbox/store.js';
import { keys } from '../platform/keys/store.js';
import { messages } from '../messages/store.js';
import type { MessageSettings } from '../messages/rules.js';
import { meta } from './meta.js';
import { methods } from '../wallet/store.js';
import { notifications } from '../preferences/store.js';
import { outbox } from '../webhooks/store.js';
import { paperless } from '../paperless/store.js';
import { inTurn, retrying } from '../platform/databases/retry.js';
import { references } from '../sessions/references-store.js';
import { refunds } from '../refunds/store.js';
import { schedules } from '../schedules/store.js';
import { sessions } from '../sessions/store.js';
import type { Tables } from '../platform/databases/tables.js';

export interface StoreOptions extends Pick<TransactionOptions, 'isolation'> {
  /** Which messages a business unit sends to payers. Default: none. */
  readonly messagesOf?: (businessUnit: string) => MessageSettings | null;
}

/** The store on either engine. It owns the connection and closes it. */
export function sqlStore(
  connection: Connection,
  { messagesOf = () => null, ...options }: StoreOptions = {},
): Store {
  const areas = areasFor(messagesOf);
  const again = inTurn();
  const listeners: (() => void)[] = [];
  const run = <T>(
    mode: 'write' | 'read',
    work: (tx: StoreTx, repeated: boolean) => Promise<T>,
    repeatable: boolean,
  ): Promise<T> =>
    retrying((repeated) => connection.transaction((tx) => work(areas(tx), repeated), { mode, ...options }), {
      again,
      repeatable,
    });
  return {
    transaction: async (work, { repeatable = false } = {}) => {
      let announced = false;
      const announcing = (tx: StoreTx, repeated: boolean): ReturnType<typeof work> => {
        const insert: StoreTx['outbox']['insert'] = (message) => {
          announced = true;
          return tx.outbox.insert(message);
        };
        return work({ ...tx, outbox: { ...tx.outbox, insert } }, repeated);
      };
      const result = await run('write', announcing, repeatable);
      if (announced) for (const listener of listeners) listener();
      return result;
    },
    read: (work) => run('read', work, true),
    onMessages: (listener) => void listeners.push(listener),
    close: () => connection.close(),
  };
}

/** Created once per transaction object, because an engine may run all transactions on one connection. */
function areasFor(messagesOf: NonNullable<StoreOptions['messagesOf']>): (tx: Transaction<Tables>) => StoreTx {
  const made = new WeakMap<Transaction<Tables>, StoreTx>();
  return (tx) => {
    let areas = made.get(tx);
    if (areas === undefined) made.set(tx, (areas = areasOf(tx, messagesOf)));
    return areas;
  };
}

function areasOf(tx: Transaction<Tables>, messagesOf: NonNullable<StoreOptions['messagesOf']>): StoreTx {
  return {
    messages: messages(tx, messagesOf),
    accounts: accounts(tx),
    customers: customers(tx),
    erasing: erasing(tx),
    sessions: sessions(tx),
    idempotency: idempotency(tx),
    keys: keys(tx),
    meta: meta(tx),
    references: references(tx),
    attempts: attempts(tx),
    refunds: refunds(tx),
    ledger: ledger(tx),
    methods: methods(tx),
    authorizations: authorizations(tx),
    autopay: autopay(tx),
    paperless: paperless(tx),
    schedules: schedules(tx),
    notifications: notifications(tx),
    agenda: agenda(tx),
    outbox: outbox(tx),
    inbox: inbox(tx),
  };
}

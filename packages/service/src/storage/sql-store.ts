import type { Transaction } from 'kysely';
import type { Store, StoreTx } from '../domain/store.js';
import { accounts } from './accounts.js';
import { agenda } from './agenda.js';
import { attempts } from './attempts.js';
import { authorizations } from './authorizations.js';
import { autopay } from './autopay.js';
import type { Connection, TransactionOptions } from './connect.js';
import { customers } from './customers.js';
import { idempotency } from './idempotency.js';
import { keys } from './keys.js';
import { meta } from './meta.js';
import { methods } from './methods.js';
import { notifications } from './notifications.js';
import { outbox } from './outbox.js';
import { paperless } from './paperless.js';
import { inTurn, retrying } from './retry.js';
import { references } from './references.js';
import { refunds } from './refunds.js';
import { schedules } from './schedules.js';
import { sessions } from './sessions.js';
import type { Tables } from './tables.js';

export type StoreOptions = Pick<TransactionOptions, 'isolation'>;

/** The store on either engine; it owns the connection and closes it. */
export function sqlStore(connection: Connection, options: StoreOptions = {}): Store {
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
    transaction: async (work, { repeatable = false, origin } = {}) => {
      let announced = false;
      const heard = (tx: StoreTx, repeated: boolean): ReturnType<typeof work> => {
        const insert: StoreTx['outbox']['insert'] = (message) => {
          announced = true;
          return tx.outbox.insert({ ...origin, ...message });
        };
        return work({ ...tx, outbox: { ...tx.outbox, insert } }, repeated);
      };
      const result = await run('write', heard, repeatable);
      if (announced) for (const listener of listeners) listener();
      return result;
    },
    read: (work) => run('read', work, true),
    onMessages: (listener) => void listeners.push(listener),
    close: () => connection.close(),
  };
}

/** Of an engine whose transactions are all on one connection they are made once. */
const made = new WeakMap<Transaction<Tables>, StoreTx>();

function areas(tx: Transaction<Tables>): StoreTx {
  let areas = made.get(tx);
  if (areas === undefined) made.set(tx, (areas = areasOf(tx)));
  return areas;
}

function areasOf(tx: Transaction<Tables>): StoreTx {
  return {
    accounts: accounts(tx),
    customers: customers(tx),
    sessions: sessions(tx),
    idempotency: idempotency(tx),
    keys: keys(tx),
    meta: meta(tx),
    references: references(tx),
    attempts: attempts(tx),
    refunds: refunds(tx),
    methods: methods(tx),
    authorizations: authorizations(tx),
    autopay: autopay(tx),
    paperless: paperless(tx),
    schedules: schedules(tx),
    notifications: notifications(tx),
    agenda: agenda(tx),
    outbox: outbox(tx),
  };
}

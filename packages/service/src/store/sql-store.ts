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
  const again = inTurn();
  const listeners: (() => void)[] = [];
  const run = <T>(
    mode: 'write' | 'read',
    work: (tx: StoreTx, repeated: boolean) => Promise<T>,
    repeatable: boolean,
    onMessage: () => void = () => undefined,
  ): Promise<T> =>
    retrying(
      (repeated) =>
        connection.transaction((tx) => work(repositories(tx, messagesOf, onMessage), repeated), {
          mode,
          ...options,
        }),
      { again, repeatable },
    );
  return {
    transaction: async (work, { repeatable = false } = {}) => {
      let hasMessage = false;
      const result = await run('write', work, repeatable, () => (hasMessage = true));
      if (hasMessage) for (const listener of listeners) listener();
      return result;
    },
    read: (work) => run('read', work, true),
    onMessages: (listener) => void listeners.push(listener),
    close: () => connection.close(),
  };
}

/**
 * Makes each repository when it is first used, because a transaction uses few of them.
 * @param onMessage is called when a webhook is written
 */
function repositories(
  tx: Transaction<Tables>,
  messagesOf: NonNullable<StoreOptions['messagesOf']>,
  onMessage: () => void,
): StoreTx {
  const made = new Map<unknown, unknown>();
  const once = <T>(make: (tx: Transaction<Tables>) => T): T => {
    if (!made.has(make)) made.set(make, make(tx));
    return made.get(make) as T;
  };
  const payerMessages = (): StoreTx['messages'] => messages(tx, messagesOf);
  const announcing = (): StoreTx['outbox'] => {
    const plain = outbox(tx);
    return {
      ...plain,
      insert: (message) => {
        onMessage();
        return plain.insert(message);
      },
    };
  };
  return {
    get accounts() {
      return once(accounts);
    },
    get customers() {
      return once(customers);
    },
    get erasing() {
      return once(erasing);
    },
    get sessions() {
      return once(sessions);
    },
    get idempotency() {
      return once(idempotency);
    },
    get keys() {
      return once(keys);
    },
    get meta() {
      return once(meta);
    },
    get references() {
      return once(references);
    },
    get attempts() {
      return once(attempts);
    },
    get refunds() {
      return once(refunds);
    },
    get ledger() {
      return once(ledger);
    },
    get methods() {
      return once(methods);
    },
    get authorizations() {
      return once(authorizations);
    },
    get autopay() {
      return once(autopay);
    },
    get paperless() {
      return once(paperless);
    },
    get schedules() {
      return once(schedules);
    },
    get notifications() {
      return once(notifications);
    },
    get outbox() {
      return once(announcing);
    },
    get messages() {
      return once(payerMessages);
    },
    get inbox() {
      return once(inbox);
    },
    get agenda() {
      return once(agenda);
    },
  };
}

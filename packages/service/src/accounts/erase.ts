/** Erases a customer's personal data but keeps accounting records (R-105). docs/privacy.md lists every column. */
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { ServiceError } from '../core/error.js';
import type { Store } from '../core/store.js';
import { mailboxOf } from '../messages/recipients.js';
import { pauseSince } from '../platform/timeouts.js';
import { inChunks } from '../platform/databases/records.js';
import { inUnit, searchPage, type Search, type SearchPage } from '../platform/databases/search.js';
import type { Tables } from '../platform/databases/tables.js';
import {
  apply,
  deletions,
  endAutopay,
  endSchedules,
  eraseAttempts,
  eraseAuthorizations,
  eraseMethods,
  eraseSessions,
  eraseWebhooks,
  paymentInFlight,
  type Change,
} from './erase-rows.js';
import { accountKey, accountText, fullNumber } from './rules/account-sync.js';
import { emailKey } from './rules/customer.js';
import type { Charge, ClientUser } from '../core/requests.js';
import { type Erased, type Erasing } from './rules/person.js';

export function erasing(tx: Transaction<Tables>): Erasing {
  return { run: (step) => step(tx as never) };
}

export interface Erasure {
  readonly businessUnit: string;
  /** The current one. */
  readonly emailAddress: string;
  readonly now: number;
  readonly isDryRun?: boolean;
  readonly onProgress?: (table: string, rows: number) => void;
  /** Called with accounts that keep their name, phone number and address, because other customers use them, too. */
  readonly onShared?: (accountNumbers: readonly string[]) => void;
  /** Called if a session that opened meanwhile made a new customer with the address, which is not erased. */
  readonly onAddressReused?: () => void;
}

/**
 * Resolves to the number of erased rows.
 *
 * A business unit may have millions of rows. There is no index that finds those of a customer, because it would slow
 * down every payment. So this searches tables in pages by primary key, without a lock, and changes a few rows per
 * transaction, with a pause in which others write. It repeats that until it finds nothing, because pages and jobs may write
 * at the same time. If it was interrupted, call it again.
 *
 * @throws ServiceError `customer_not_found` or `payment_in_flight`
 */
export async function eraseCustomer(store: Store, erasure: Erasure): Promise<Erased> {
  const eraser = new Eraser(store, erasure);
  await eraser.run();
  return eraser.erased;
}

const PAGE_SIZE = 5_000;
/** A request may be 256 KiB. */
const PAGE_OF_REQUESTS = 100;
/** Rows per transaction. */
const BATCH_SIZE = 10;

type Find = (tx: Transaction<Tables>) => Promise<Change[]>;

/** Replaces the address, to find the customer again after an interruption. The colon can't be in an address. */
const ERASING = 'erasing:';
const ERASED = 'erased:';
const erasedKey = (customerId: string): string => `${ERASED}${customerId}`;

class Eraser {
  readonly erased: Record<string, number> = {};
  readonly #store: Store;
  readonly #erasure: Erasure;
  readonly #key: string;
  readonly #erasingKey: string;
  readonly #ofUnit: RawBuilder<unknown>;

  constructor(store: Store, erasure: Erasure) {
    this.#store = store;
    this.#erasure = erasure;
    this.#key = emailKey(erasure.emailAddress);
    this.#erasingKey = `${ERASING}${this.#key}`;
    this.#ofUnit = inUnit(erasure.businessUnit);
  }

  async run(): Promise<void> {
    const customerId = await this.#find();
    if (customerId === undefined) return this.#eraseReceipts();

    await this.#eraseOne(customerId);
    if (!this.#erasure.isDryRun && (await this.#find()) !== undefined) this.#erasure.onAddressReused?.();
  }

  /** Finds the customer of an interrupted erasure first. */
  async #find(): Promise<string | undefined> {
    const found = await this.#read((tx) =>
      tx
        .selectFrom('customers')
        .select(['id', 'email_key'])
        .where('business_unit', '=', this.#erasure.businessUnit)
        .where('email_key', 'in', [this.#erasingKey, this.#key])
        .execute(),
    );
    const interrupted = found.find(({ email_key }) => email_key === this.#erasingKey);
    return (interrupted ?? found[0])?.id;
  }

  /** Payers without a customer record can also have receipts sent to this address. */
  async #eraseReceipts(): Promise<void> {
    await this.#eraseMessages(null, new Set(), new Set([this.#key]));
    if (this.#total() === 0)
      throw new ServiceError(
        'customer_not_found',
        'This business unit has no customer with this e-mail address.',
      );
  }

  async #eraseOne(customerId: string): Promise<void> {
    const addresses = new Set([this.#key]);
    for (let pass = 1; ; pass++) {
      const before = this.#total();
      const sessions = await this.#sessionsOf(customerId, addresses);
      if (pass === 1) await this.#refuseInFlight(sessions);
      // First, because nobody must be charged without messages or a mandate, and no removed method.
      await this.#endServices(customerId);
      // From now on, the address belongs to a new customer, and this one gets no messages.
      if (pass === 1 && !this.#erasure.isDryRun) await this.#write(rename(customerId, this.#erasingKey));
      await this.#eraseWebhooks(sessions);
      await this.#eraseMessages(customerId, sessions, addresses);
      await this.#erasePayments(sessions);
      await this.#eraseMethods(customerId);
      // The first pass misses a session that was created between its search and the renaming.
      if (this.#erasure.isDryRun || (pass > 1 && this.#total() === before)) break;
    }
    await this.#finish(customerId);
  }

  /** The accounts that no other customer has, written by `accountText`. */
  async #ownAccounts(customerId: string): Promise<ReadonlySet<string>> {
    const own = new Set<string>();
    await this.#searchAccounts(customerId, async (ids) => {
      const found = await this.#read((tx) =>
        numbersOf(tx, ids).where(hasNoOtherCustomer(customerId)).execute(),
      );
      for (const key of found) own.add(accountText(key));
    });
    return own;
  }

  /**
   * Finds the customer's sessions, and the accounts' sessions without a customer, such as POS payments: they contain its
   * name and address. Adds their addresses, which may be former ones of the customer.
   */
  async #sessionsOf(customerId: string, addresses: Set<string>): Promise<ReadonlySet<string>> {
    const own = await this.#ownAccounts(customerId);
    const isCharged = ({ ClientAccount }: Charge): boolean =>
      ClientAccount !== undefined && own.has(accountText(accountKey(ClientAccount)));
    const search = {
      columns: sql<{ id: string; customer_id: string | null; request: string }>`id, customer_id, request`,
      where: sql`${this.#ofUnit} and (customer_id = ${customerId} or customer_id is null and flow = 'payment')`,
      size: PAGE_OF_REQUESTS,
    };
    const ids = new Set<string>();
    await this.#search('sessions', search, async (rows) => {
      for (const { id, customer_id, request } of rows) {
        const { ClientUser, Charges = [] } = JSON.parse(request) as StoredRequest;
        if (customer_id === null && !Charges.some(isCharged)) continue;
        ids.add(id);
        if (ClientUser) addresses.add(emailKey(ClientUser.EmailAddress));
      }
    });
    return ids;
  }

  /** Before anything changes; later payments stop the erasure where it is. */
  async #refuseInFlight(sessions: ReadonlySet<string>): Promise<void> {
    for (const ids of inChunks([...sessions])) {
      const processing = await this.#read((tx) =>
        tx
          .selectFrom('attempts')
          .select('id')
          .where('session_id', 'in', ids)
          .where('status', '=', 'processing')
          .limit(1)
          .execute(),
      );
      if (processing.length > 0) throw paymentInFlight();
    }
  }

  async #eraseWebhooks(sessions: ReadonlySet<string>): Promise<void> {
    const search = {
      columns: sql<{ id: string; session_id: string }>`id, session_id`,
      where: sql`${this.#ofUnit} and session_id is not null`,
    };
    await this.#search('outbox', search, async (rows) => {
      const own = rows.filter(({ session_id }) => sessions.has(session_id));
      await this.#change(own, eraseWebhooks);
    });
  }

  /**
   * Deletes messages to the customer and receipts that were sent from their pages, or by payers without a customer record to
   * their mailboxes, in any spelling.
   */
  async #eraseMessages(
    customerId: string | null,
    sessions: ReadonlySet<string>,
    addresses: ReadonlySet<string>,
  ): Promise<void> {
    type Row = { id: string; customer_id: string | null; session_id: string | null; recipient: string };
    const mailboxes = new Set([...addresses].map(mailboxOf));
    const search = { columns: sql<Row>`id, customer_id, session_id, recipient`, where: this.#ofUnit };
    await this.#search('messages', search, async (rows) => {
      const own = rows.filter(
        (row) =>
          sessions.has(row.session_id ?? '') ||
          (row.customer_id === null
            ? mailboxes.has(mailboxOf(row.recipient))
            : row.customer_id === customerId),
      );
      await this.#change(own, async (tx, ids) => {
        const found = await tx.selectFrom('messages').select('id').where('id', 'in', ids).execute();
        return deletions('messages', found);
      });
    });
  }

  async #erasePayments(sessions: ReadonlySet<string>): Promise<void> {
    const { now } = this.#erasure;
    for (const ids of inChunks([...sessions])) {
      const attempts = await this.#read((tx) =>
        tx.selectFrom('attempts').select('id').where('session_id', 'in', ids).execute(),
      );
      await this.#change(attempts, (tx, batch) => eraseAttempts(tx, batch, now));
      await this.#change(
        ids.map((id) => ({ id })),
        eraseSessions,
      );
    }
  }

  async #eraseMethods(customerId: string): Promise<void> {
    const methods = await this.#rowsOf('methods', customerId);
    await this.#change(methods, (tx, ids) => eraseMethods(tx, ids, this.#erasure.now));
  }

  async #endServices(customerId: string): Promise<void> {
    await this.#searchAccounts(customerId, async (accounts) => {
      await this.#apply((tx) => endAutopay(tx, customerId, accounts));
      await this.#apply(async (tx) => {
        const found = await tx
          .selectFrom('paperless')
          .select(['account_id', 'customer_id'])
          .where('account_id', 'in', accounts)
          .where('customer_id', '=', customerId)
          .execute();
        return deletions('paperless', found);
      });
    });
    await this.#change(await this.#rowsOf('schedules', customerId), endSchedules);
    await this.#change(await this.#rowsOf('authorizations', customerId), eraseAuthorizations);
    for (const table of ['wallets', 'notification_preferences'] as const)
      await this.#apply(async (tx) => {
        const found = await tx
          .selectFrom(table)
          .select('customer_id')
          .where('customer_id', '=', customerId)
          .execute();
        return deletions(table, found);
      });
  }

  /**
   * Keeps the account's number, which the ledger contains, and the customer's row, because payments refer to it. Its link to
   * the account stays, too, so that no repeated event moves another customer there (E-3).
   */
  async #finish(customerId: string): Promise<void> {
    await this.#searchAccounts(customerId, async (ids) => {
      await this.#apply(async (tx) => {
        const found = await tx
          .selectFrom('accounts')
          .select('id')
          .where('id', 'in', ids)
          .where('fields', '<>', '{}')
          .where(hasNoOtherCustomer(customerId))
          .execute();
        // Keeps the bill, or the next sync of the same balance would be a new one that nobody has paid.
        const values = { fields: '{}' };
        return found.map((key) => ({ table: 'accounts', key, values }));
      });
      await this.#reportShared(ids, customerId);
    });
    await this.#apply(rename(customerId, erasedKey(customerId)));
  }

  async #reportShared(ids: readonly string[], customerId: string): Promise<void> {
    const shared = await this.#read((tx) =>
      numbersOf(tx, ids)
        .where((of) => of.not(hasNoOtherCustomer(customerId)))
        .execute(),
    );
    if (shared.length > 0) this.#erasure.onShared?.(shared.map(fullNumber));
  }

  #rowsOf(table: 'methods' | 'authorizations' | 'schedules', customerId: string): Promise<{ id: string }[]> {
    return this.#read((tx) =>
      tx.selectFrom(table).select('id').where('customer_id', '=', customerId).execute(),
    );
  }

  /** @param visit gets up to `BATCH_SIZE` ids of the customer's accounts at a time */
  async #searchAccounts(
    customerId: string,
    visit: (accountIds: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const search = {
      key: 'account_id',
      columns: sql<{ account_id: string }>`account_id`,
      where: sql`customer_id = ${customerId}`,
    } as const;
    await this.#search('account_customers', search, async (rows) => {
      const ids = rows.map(({ account_id }) => account_id);
      for (const batch of inChunks(ids, BATCH_SIZE)) await visit(batch);
    });
  }

  async #search<R>(
    table: keyof Tables,
    search: Omit<Search<R>, 'table' | 'size'> & { readonly size?: number },
    visit: (rows: readonly R[]) => Promise<void>,
  ): Promise<void> {
    const pages = { table, size: PAGE_SIZE, ...search };
    for (let after: string | undefined = ''; after !== undefined;) {
      const start: string = after;
      const { rows, next }: SearchPage<R> = await this.#read((tx) => searchPage(tx, pages, start));
      this.#erasure.onProgress?.(table, pages.size);
      await visit(rows);
      after = next;
    }
  }

  async #change(
    rows: readonly { readonly id: string }[],
    find: (tx: Transaction<Tables>, ids: readonly string[]) => Promise<Change[]>,
  ): Promise<void> {
    for (const batch of inChunks(rows, BATCH_SIZE)) {
      const ids = batch.map(({ id }) => id);
      await this.#apply((tx) => find(tx, ids));
    }
  }

  /** Searches without a lock first, because most rows need no change. */
  async #apply(find: Find): Promise<void> {
    const found = await this.#read(find);
    if (found.length === 0) return;

    const changes = this.#erasure.isDryRun ? found : await this.#write(find);
    for (const { table } of changes) this.erased[table] = (this.erased[table] ?? 0) + 1;
  }

  #read<T>(step: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#store.read((tx) => tx.erasing.run(step));
  }

  async #write(find: Find): Promise<readonly Change[]> {
    const begunAt = performance.now();
    const changes = await this.#store.transaction(
      ({ erasing }) =>
        erasing.run(async (tx: Transaction<Tables>) => {
          const found = await find(tx);
          await apply(tx, found);
          return found;
        }),
      { repeatable: true },
    );
    await pauseSince(begunAt);
    return changes;
  }

  #total(): number {
    return Object.values(this.erased).reduce((sum, rows) => sum + rows, 0);
  }
}

/** What a request of any flow may contain. */
interface StoredRequest {
  readonly ClientUser?: ClientUser;
  readonly Charges?: readonly Charge[];
}

/** Removes the names and replaces the address. */
function rename(customerId: string, emailKeyAfter: string): Find {
  const values = { email_key: emailKeyAfter, fields: JSON.stringify({ emailAddress: '' }) };
  return async () => [{ table: 'customers', key: { id: customerId }, values }];
}

function numbersOf(tx: Transaction<Tables>, accountIds: readonly string[]) {
  return tx
    .selectFrom('accounts')
    .select(['account_number as accountNumber', 'sub_account_number as subAccountNumber'])
    .where('id', 'in', accountIds);
}

/**
 * A condition of each statement, not checked beforehand, because accounts get new customers during an erasure. Customers
 * that are being erased at the same time don't count, or each erasure would leave the account to the other.
 */
function hasNoOtherCustomer(customerId: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select 1 from account_customers other join customers on customers.id = other.customer_id
    where other.account_id = accounts.id and other.customer_id <> ${customerId}
      and customers.email_key <> ${sql.lit(ERASED)} || customers.id
      and customers.email_key not like ${sql.lit(`${ERASING}%`)}
  )`;
}

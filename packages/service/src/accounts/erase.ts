/** Erases a customer's personal data but keeps accounting records. docs/privacy.md lists every column. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { ServiceError } from '../core/error.js';
import type { Store } from '../core/store.js';
import { mailboxOf } from '../messages/recipients.js';
import { pauseSince } from '../platform/timeouts.js';
import { inBatches, inChunks } from '../platform/databases/records.js';
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
  InFlight,
  type Change,
} from './erase-rows.js';
import { accountText, fullNumber } from './rules/account-sync.js';
import { emailKey } from './rules/customer.js';
import { chargedAccounts, customerAddress, type Erased, type Erasing } from './rules/person.js';

export function erasing(tx: Transaction<Tables>): Erasing {
  return { run: (step) => step(tx as never) };
}

export interface Erasure {
  readonly businessUnit: string;
  /** The current one. */
  readonly emailAddress: string;
  readonly now: number;
  readonly isDryRun?: boolean;
  /** Erases the customer who has the address now, even if another one had it before. */
  readonly isCurrentOwner?: boolean;
  readonly onProgress?: (table: string, rows: number) => void;
  /** Called with accounts that keep their name, phone number and address, because other customers use them, too. */
  readonly onShared?: (accountNumbers: readonly string[]) => void;
  /** Called if another customer now has the address. That customer is not erased. */
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
 * @throws ServiceError `customer_not_found`, or `payment_in_flight` before it has changed anything
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
const BATCH_SIZE = 50;
const IN_FLIGHT_PAUSE_MS = 1_000;

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
    const { id: customerId = null, email_key } = (await this.#find()) ?? {};
    // The run that was interrupted has passed this check.
    const isAllowed =
      email_key === this.#erasingKey || (customerId !== null && this.#erasure.isCurrentOwner === true);
    if (!isAllowed) await this.#refuseFormer(customerId);
    if (customerId === null) return this.#eraseReceipts();

    if (!(await this.#eraseOne(customerId))) return this.#refuse([customerId]);
    if (this.#erasure.isDryRun !== true && (await this.#find()) !== undefined)
      this.#erasure.onAddressReused?.();
  }

  /** Finds the customer of an interrupted erasure first. */
  async #find(): Promise<{ readonly id: string; readonly email_key: string } | undefined> {
    const found = await this.#read((tx) =>
      tx
        .selectFrom('customers')
        .select(['id', 'email_key'])
        .where('business_unit', '=', this.#erasure.businessUnit)
        .where('email_key', 'in', [this.#erasingKey, this.#key])
        .execute(),
    );
    return found.find(({ email_key }) => email_key === this.#erasingKey) ?? found[0];
  }

  /** Refuses an address that another customer had before, because that customer's rows have the current one. */
  async #refuseFormer(owner: string | null): Promise<void> {
    const found = new Set<string>();
    const add = (customerId: string, address: string | undefined): void => {
      if (address !== undefined && emailKey(address) === this.#key && customerId !== owner)
        found.add(customerId);
    };
    const where = sql`${this.#ofUnit} and customer_id is not null`;
    const sessions = { columns: sql<{ customer_id: string; request: string }>`customer_id, request`, where };
    await this.#search('sessions', { ...sessions, size: PAGE_OF_REQUESTS }, async (rows) => {
      for (const { customer_id, request } of rows) add(customer_id, addressIn(readable(request)));
    });
    const messages = {
      columns: sql<{ customer_id: string; recipient: string }>`customer_id, recipient`,
      where,
    };
    await this.#search('messages', messages, async (rows) => {
      for (const { customer_id, recipient } of rows) add(customer_id, recipient);
    });
    const more = owner === null ? '' : '. To erase the customer who has it now, add --current-owner';
    if (found.size > 0) await this.#refuse([...found], more);
  }

  /** The error lists the current addresses of customers that are not erased. */
  async #refuse(customerIds: readonly string[], more = ''): Promise<void> {
    const customers = await this.#read((tx) =>
      tx.selectFrom('customers').select(['id', 'email_key']).where('id', 'in', customerIds).execute(),
    );
    const current = customers.flatMap(({ id, email_key }) =>
      email_key === erasedKey(id) ? [] : email_key.replace(ERASING, ''),
    );
    if (current.length > 0)
      throw new ServiceError(
        'customer_not_found',
        `This is a former address. Erase the customer by the current one: ${current.join(', ')}${more}`,
      );
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

  /** Resolves to false if the customer no longer has the address. */
  async #eraseOne(customerId: string): Promise<boolean> {
    const addresses = new Set([this.#key]);
    for (let pass = 1; ; pass++) {
      const before = this.#total();
      const sessions = await this.#sessionsOf(customerId, addresses);
      if (pass === 1) {
        await this.#refuseInFlight(sessions);
        if (!(await this.#begin(customerId))) return false;
      }
      // First, because a customer without messages must not be charged, and neither must a removed method.
      await this.#endServices(customerId);
      const own = await this.#unlessUsedByOthers(customerId, addresses);
      await this.#eraseWebhooks(sessions, own);
      await this.#eraseMessages(customerId, sessions, own);
      await this.#erasePayments(sessions);
      await this.#eraseMethods(customerId);
      if (this.#erasure.isDryRun === true || this.#total() === before) break;
    }
    await this.#finish(customerId);
    return true;
  }

  /** From now on, this address belongs to a new customer, and this one gets no messages. */
  async #begin(customerId: string): Promise<boolean> {
    if (this.#erasure.isDryRun === true) return true;
    const changes = await this.#write((tx) => this.#rename(tx, customerId, this.#erasingKey));
    return changes.length > 0;
  }

  /** Finds nothing if another process has erased this customer, or has changed the address. */
  async #rename(tx: Transaction<Tables>, id: string, to: string): Promise<Change[]> {
    const found = await tx
      .selectFrom('customers')
      .select('id')
      .where('id', '=', id)
      .where('email_key', 'in', [this.#key, this.#erasingKey])
      .execute();
    const values = { email_key: to, fields: JSON.stringify({ emailAddress: '' }) };
    return found.map(() => ({ table: 'customers', key: { id }, values }));
  }

  /** The accounts that no other customer has, written by `accountText`. */
  async #ownAccounts(customerId: string): Promise<ReadonlySet<string>> {
    const own = new Set<string>();
    await this.#searchAccounts('account_customers', customerId, async (ids) => {
      const found = await this.#read((tx) =>
        tx
          .selectFrom('accounts')
          .select(['account_number as accountNumber', 'sub_account_number as subAccountNumber'])
          .where('id', 'in', ids)
          .where(hasNoOtherCustomer(customerId))
          .execute(),
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
    const possible =
      own.size === 0
        ? sql`customer_id = ${customerId}`
        : sql`(customer_id = ${customerId} or customer_id is null and flow = 'payment')`;
    type Row = { id: string; customer_id: string | null; request: string };
    const search = {
      columns: sql<Row>`id, customer_id, request`,
      where: sql`${this.#ofUnit} and ${possible}`,
      size: PAGE_OF_REQUESTS,
    };
    const ids = new Set<string>();
    const add = (id: string, address: string | undefined): void => {
      ids.add(id);
      if (address) addresses.add(emailKey(address));
    };
    const withoutCustomer: { id: string; address: string | undefined; accounts: string[] }[] = [];
    await this.#search('sessions', search, async (rows) => {
      for (const { id, customer_id, request } of rows) {
        const parsed = readable(request);
        const address = addressIn(parsed);
        if (customer_id !== null) {
          add(id, address);
          continue;
        }
        const accounts = chargedAccounts(parsed).map(accountText);
        if (accounts.some((account) => own.has(account))) withoutCustomer.push({ id, address, accounts });
      }
    });
    if (withoutCustomer.length === 0) return ids;
    // They may be payments of a customer who was given the account during the search.
    const stillOwn = await this.#ownAccounts(customerId);
    for (const { id, address, accounts } of withoutCustomer)
      if (accounts.some((account) => stillOwn.has(account))) add(id, address);
    return ids;
  }

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
      if (processing.length > 0)
        throw new ServiceError(
          'payment_in_flight',
          'A payment of this customer is being processed: run this again when its outcome is known.',
        );
    }
  }

  /** An address may have moved from this customer to another one. */
  async #unlessUsedByOthers(customerId: string, keys: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const own = new Set(keys);
    for (const chunk of inChunks([...keys])) {
      const used = await this.#read((tx) =>
        tx
          .selectFrom('customers')
          .select('email_key')
          .where('business_unit', '=', this.#erasure.businessUnit)
          .where('email_key', 'in', chunk)
          .where('id', '<>', customerId)
          .execute(),
      );
      for (const { email_key } of used) own.delete(email_key);
    }
    return own;
  }

  async #eraseWebhooks(sessions: ReadonlySet<string>, addresses: ReadonlySet<string>): Promise<void> {
    type Row = { id: string; session_id: string | null; body: string | null; bytes: number };
    const search = {
      // Releases before 0.3 stored no session.
      columns: sql<Row>`id, session_id, case when session_id is null then body end as body,
        octet_length(body) as bytes`,
      where: this.#ofUnit,
    };
    await this.#search('outbox', search, async (rows) => {
      const own = rows.filter(({ session_id, body }) =>
        body === null
          ? sessions.has(session_id ?? '')
          : addresses.has(emailKey(customerAddress(readable(body)))),
      );
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
    // Size of the texts that an update rewrites.
    const attemptBytes = sql<number>`octet_length(source) + octet_length(fields) + octet_length(charges)`;
    for (const ids of inChunks([...sessions])) {
      const attempts = await this.#read((tx) =>
        tx
          .selectFrom('attempts')
          .select(['id', attemptBytes.as('bytes')])
          .where('session_id', 'in', ids)
          .execute(),
      );
      await this.#change(attempts, (tx, batch) => eraseAttempts(tx, batch, now));
      const requests = await this.#read((tx) =>
        tx
          .selectFrom('sessions')
          .select(['id', sql<number>`octet_length(request)`.as('bytes')])
          .where('id', 'in', ids)
          .execute(),
      );
      await this.#change(requests, eraseSessions);
    }
  }

  async #eraseMethods(customerId: string): Promise<void> {
    const methods = await this.#rowsOf('methods', customerId);
    await this.#change(methods, (tx, ids) => eraseMethods(tx, ids, this.#erasure.now));
  }

  async #endServices(customerId: string): Promise<void> {
    await this.#change(await this.#rowsOf('authorizations', customerId), eraseAuthorizations);
    await this.#change(await this.#rowsOf('schedules', customerId), endSchedules);
    await this.#searchAccounts('autopay', customerId, (accounts) =>
      this.#apply((tx) => endAutopay(tx, customerId, accounts)),
    );
    await this.#searchAccounts('paperless', customerId, (accounts) =>
      this.#apply(async (tx) => {
        const found = await tx
          .selectFrom('paperless')
          .select(['account_id', 'customer_id'])
          .where('account_id', 'in', accounts)
          .where('customer_id', '=', customerId)
          .execute();
        return deletions('paperless', found);
      }),
    );
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
    await this.#searchAccounts('account_customers', customerId, async (ids) => {
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
    await this.#apply((tx) => this.#rename(tx, customerId, erasedKey(customerId)));
  }

  async #reportShared(ids: readonly string[], customerId: string): Promise<void> {
    const shared = await this.#read((tx) =>
      tx
        .selectFrom('accounts')
        .select(['account_number as accountNumber', 'sub_account_number as subAccountNumber'])
        .where('id', 'in', ids)
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

  /** @param visit gets up to `BATCH_SIZE` ids of accounts at a time */
  async #searchAccounts(
    table: 'account_customers' | 'autopay' | 'paperless',
    customerId: string,
    visit: (accountIds: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const search = {
      key: 'account_id',
      columns: sql<{ account_id: string }>`account_id`,
      where: sql`customer_id = ${customerId}`,
    } as const;
    await this.#search(table, search, async (rows) => {
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
    rows: readonly { readonly id: string; readonly bytes?: number }[],
    find: (tx: Transaction<Tables>, ids: readonly string[]) => Promise<Change[]>,
  ): Promise<void> {
    for (const batch of inBatches(rows, BATCH_SIZE)) {
      const ids = batch.map(({ id }) => id);
      await this.#apply((tx) => find(tx, ids));
    }
  }

  /**
   * Searches without a lock first, because most rows need no change. Waits for the outcome of payments, because a process
   * that makes one writes its details again.
   */
  async #apply(find: Find): Promise<void> {
    for (;;) {
      try {
        const found = await this.#read(find);
        if (found.length === 0) return;
        const changes = this.#erasure.isDryRun === true ? found : await this.#write(find);
        for (const { table } of changes) this.erased[table] = (this.erased[table] ?? 0) + 1;
        return;
      } catch (error) {
        if (!(error instanceof InFlight)) throw error;
      }
      await delay(IN_FLIGHT_PAUSE_MS);
    }
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

function addressIn(request: unknown): string | undefined {
  return (request as { ClientUser?: { EmailAddress?: string } }).ClientUser?.EmailAddress?.trim();
}

/** Parses a stored request or webhook. Another customer's unreadable row must not stop the erasure. */
function readable(json: string): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    return {};
  }
}

/** A condition of each statement, not checked beforehand, because accounts get new customers during an erasure. */
function hasNoOtherCustomer(customerId: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select 1 from account_customers other join customers on customers.id = other.customer_id
    where other.account_id = accounts.id and other.customer_id <> ${customerId}
      and customers.email_key <> ${sql.lit(ERASED)} || customers.id
  )`;
}

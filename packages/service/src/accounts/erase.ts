/** Erases a customer's personal data but keeps accounting records. docs/privacy.md lists every column. */
import { sql, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import { inChunks } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';
import type { AccountKey } from './rules/account-sync.js';
import { emailKey } from './rules/customer.js';
import {
  customerAddress,
  chargesAccount,
  removePersonalData,
  type Erased,
  type Erasing,
} from './rules/person.js';

export function erasing(tx: Transaction<Tables>): Erasing {
  return {
    erase: async (businessUnit, emailAddress, now) => {
      const found = await tx
        .selectFrom('customers')
        .select('id')
        .where('business_unit', '=', businessUnit)
        .where('email_key', '=', emailKey(emailAddress))
        .executeTakeFirst();
      if (found) return new Erasure(tx, { businessUnit, customerId: found.id, emailAddress, now }).run();

      // Payers without a customer record can also have receipts sent to this address.
      const messages = await eraseReceipts(tx, businessUnit, [emailAddress]);
      return messages > 0 ? { messages } : null;
    },
    eraseAgain: (businessUnit, customerId, emailAddress, now) =>
      new Erasure(tx, { businessUnit, customerId, emailAddress, now }).run(),
  };
}

type AccountRow = AccountKey & { readonly id: string };
type SessionRow = Pick<Selectable<Tables['sessions']>, 'id' | 'status' | 'request' | 'expires_at'>;

interface Subject {
  readonly businessUnit: string;
  readonly customerId: string;
  /** The current one. */
  readonly emailAddress: string;
  readonly now: number;
}

class Erasure {
  readonly #tx: Transaction<Tables>;
  readonly #subject: Subject;
  readonly #erased: Record<string, number> = {};

  constructor(tx: Transaction<Tables>, subject: Subject) {
    this.#tx = tx;
    this.#subject = subject;
  }

  async run(): Promise<Erased | 'in_flight'> {
    const accounts = await this.#ownAccounts();
    const own = await this.#sessions().where('customer_id', '=', this.#subject.customerId).execute();
    const sessions = [...own, ...(await this.#anonymousSessions(accounts))];
    const ids = sessions.map(({ id }) => id);
    const attempts = await this.#attemptsOf(ids);
    if (attempts.some(({ status }) => status === 'processing')) return 'in_flight';

    await this.#eraseWebhooks(ids, addressesIn(own));
    await this.#erasePayerMessages(ids, [this.#subject.emailAddress, ...addressesIn(sessions)]);
    await this.#eraseAuthorizations(attempts);
    await this.#erasePayments(attempts);
    await this.#eraseSessions(sessions);
    await this.#eraseMethods();
    await this.#endServices();
    await this.#eraseAccounts(accounts);
    await this.#eraseCustomer();
    return this.#erased;
  }

  #sessions() {
    return this.#tx.selectFrom('sessions').select(['id', 'status', 'request', 'expires_at']);
  }

  /** Finds the account's sessions without a customer, such as POS payments: they contain its name and address. */
  async #anonymousSessions(accounts: readonly AccountRow[]): Promise<SessionRow[]> {
    const found: SessionRow[] = [];
    for (const account of accounts) {
      const written = JSON.stringify(account.accountNumber);
      const rows = await this.#sessions()
        .where('business_unit', '=', this.#subject.businessUnit)
        .where('customer_id', 'is', null)
        .where(contains('request', written))
        .execute();
      found.push(...rows.filter(({ request }) => chargesAccount(JSON.parse(request), account)));
    }
    return [...new Map(found.map((session) => [session.id, session])).values()];
  }

  async #attemptsOf(sessionIds: readonly string[]) {
    const found = [];
    for (const ids of inChunks(sessionIds))
      found.push(
        ...(await this.#tx
          .selectFrom('attempts')
          .select(['id', 'status', 'source', 'authorization_id'])
          .where('session_id', 'in', ids)
          .execute()),
      );
    return found;
  }

  /** Deletes messages to the customer, and receipts sent from their pages or to their addresses. */
  async #erasePayerMessages(sessionIds: readonly string[], addresses: readonly string[]): Promise<void> {
    const own = this.#tx.deleteFrom('messages').where('customer_id', '=', this.#subject.customerId);
    this.#count('messages', await deleted(own));
    for (const ids of inChunks(sessionIds)) {
      const sent = this.#tx.deleteFrom('messages').where('session_id', 'in', ids);
      this.#count('messages', await deleted(sent));
    }
    this.#count('messages', await eraseReceipts(this.#tx, this.#subject.businessUnit, addresses));
  }

  /** Deletes finished webhooks and removes personal data from pending ones. */
  async #eraseWebhooks(sessionIds: readonly string[], addresses: ReadonlySet<string>): Promise<void> {
    const keys = new Set([...addresses].map(emailKey));
    const rows = [];
    for (const ids of inChunks(sessionIds))
      rows.push(...(await this.#webhooks().where('session_id', 'in', ids).execute()));
    for (const address of addresses)
      rows.push(
        ...(
          await this.#webhooks()
            .where('business_unit', '=', this.#subject.businessUnit)
            .where(contains('body', JSON.stringify(address)))
            .execute()
        ).filter(({ body }) => keys.has(emailKey(customerAddress(JSON.parse(body))))),
      );

    for (const { id, status, body } of new Map(rows.map((row) => [row.id, row])).values()) {
      if (status === 'pending')
        await this.#tx
          .updateTable('outbox')
          .set({ body: JSON.stringify(removePersonalData(JSON.parse(body))) })
          .where('id', '=', id)
          .execute();
      else await this.#tx.deleteFrom('outbox').where('id', '=', id).execute();
      this.#count('outbox', 1);
    }
  }

  #webhooks() {
    return this.#tx.selectFrom('outbox').select(['id', 'status', 'body']);
  }

  async #eraseAuthorizations(attempts: readonly { authorization_id: string | null }[]): Promise<void> {
    const own = this.#tx
      .selectFrom('authorizations')
      .select('id as authorization_id')
      .where('customer_id', '=', this.#subject.customerId);
    const found = [...attempts, ...(await own.execute())];
    // Authorizations of release 0.3 don't name the customer.
    for (const table of ['autopay', 'schedules'] as const)
      found.push(
        ...(await this.#tx
          .selectFrom(table)
          .select('authorization_id')
          .where('customer_id', '=', this.#subject.customerId)
          .execute()),
      );
    const ids = new Set(found.flatMap(({ authorization_id: id }) => id ?? []));
    for (const chunk of inChunks([...ids])) {
      const erased = await this.#tx
        .updateTable('authorizations')
        .set({ text: '', ip: null, user_agent: null })
        .where('id', 'in', chunk)
        .returning('id')
        .execute();
      this.#count('authorizations', erased.length);
    }
  }

  async #erasePayments(attempts: readonly { id: string; source: string }[]): Promise<void> {
    for (const { id, source } of attempts) {
      const { method, token, brand, last4, methodId } = JSON.parse(source) as Record<string, unknown>;
      const isUnsaved = methodId === undefined && token !== '';
      await this.#tx
        .updateTable('attempts')
        .set({
          source: JSON.stringify({
            method,
            token: isUnsaved ? token : '',
            brand,
            last4,
            holder: '',
            methodId,
            save: false,
          }),
          fields: '{}',
          forget_at: isUnsaved ? this.#subject.now : null,
        })
        .where('id', '=', id)
        .execute();
      this.#count('attempts', 1);
    }
  }

  /** Expires sessions whose link still works, including completed ones, which can add methods. */
  async #eraseSessions(sessions: readonly SessionRow[]): Promise<void> {
    for (const { id, status, request, expires_at } of sessions) {
      const isOpen = status === 'Open' || status === 'Completed' || status === 'RequiresPaymentSource';
      await this.#tx
        .updateTable('sessions')
        .set({
          request: JSON.stringify(removePersonalData(JSON.parse(request))),
          expires_at: isOpen ? Math.min(expires_at, this.#subject.now) : expires_at,
        })
        .where('id', '=', id)
        .execute();
      this.#count('sessions', 1);
    }
  }

  /** Keeps the tokens until the processor has deleted them. */
  async #eraseMethods(): Promise<void> {
    const methods = await this.#tx
      .selectFrom('methods')
      .select(['id', 'token', 'details', 'removed_at'])
      .where('customer_id', '=', this.#subject.customerId)
      .execute();
    for (const { id, token, details, removed_at } of methods) {
      const { brand, last4, replaced } = JSON.parse(details) as Record<string, unknown>;
      await this.#tx
        .updateTable('methods')
        .set({
          details: JSON.stringify({ brand, last4, holder: '', replaced }),
          removed_at: removed_at ?? this.#subject.now,
          forget_at: token === '' ? null : this.#subject.now,
        })
        .where('id', '=', id)
        .execute();
      this.#count('methods', 1);
    }
  }

  async #endServices(): Promise<void> {
    const of = this.#subject.customerId;
    const tables = ['wallets', 'autopay', 'paperless', 'notification_preferences'] as const;
    for (const table of tables)
      this.#count(table, await deleted(this.#tx.deleteFrom(table).where('customer_id', '=', of)));
    const canceled = await this.#tx
      .updateTable('schedules')
      .set({ status: 'canceled' })
      .where('customer_id', '=', of)
      .where('status', '=', 'scheduled')
      .returning('id')
      .execute();
    this.#count('schedules', canceled.length);
  }

  async #ownAccounts(): Promise<AccountRow[]> {
    const of = this.#subject.customerId;
    return this.#tx
      .selectFrom('account_customers as own')
      .innerJoin('accounts', 'accounts.id', 'own.account_id')
      .select(['accounts.id', 'account_number as accountNumber', 'sub_account_number as subAccountNumber'])
      .where('own.customer_id', '=', of)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('account_customers as other')
              .select('other.customer_id')
              .whereRef('other.account_id', '=', 'own.account_id')
              .where('other.customer_id', '<>', of),
          ),
        ),
      )
      .execute();
  }

  /** Keeps the account number, which the ledger contains. */
  async #eraseAccounts(own: readonly AccountRow[]): Promise<void> {
    for (const ids of inChunks(own.map(({ id }) => id))) {
      const erased = await this.#tx
        .updateTable('accounts')
        .set({ fields: '{}', balance_synced_at: null })
        .where('id', 'in', ids)
        .returning('id')
        .execute();
      this.#count('accounts', erased.length);
    }
    await this.#tx
      .deleteFrom('account_customers')
      .where('customer_id', '=', this.#subject.customerId)
      .execute();
  }

  /** Keeps the row, because payments refer to it. */
  async #eraseCustomer(): Promise<void> {
    const id = this.#subject.customerId;
    await this.#tx
      .updateTable('customers')
      .set({ email_key: `erased:${id}`, fields: JSON.stringify({ emailAddress: '' }) })
      .where('id', '=', id)
      .execute();
    this.#count('customers', 1);
  }

  #count(table: string, rows: number): void {
    if (rows > 0) this.#erased[table] = (this.#erased[table] ?? 0) + rows;
  }
}

/** Deletes receipts sent to these addresses, in any capitalization (D-6). Resolves to the number deleted. */
async function eraseReceipts(
  tx: Transaction<Tables>,
  businessUnit: string,
  addresses: readonly string[],
): Promise<number> {
  const keys = new Set(addresses.map(emailKey));
  let count = 0;
  for (const chunk of inChunks([...keys])) {
    const rows = await tx
      .selectFrom('messages')
      .select(['id', 'recipient'])
      .where('business_unit', '=', businessUnit)
      .where('customer_id', 'is', null)
      // Some databases' `lower` folds more letters than D-6, so the results are filtered below.
      .where(
        sql<string>`lower(recipient)`,
        'in',
        chunk.map((key) => sql<string>`lower(cast(${key} as text))`),
      )
      .execute();
    const ids = rows.filter(({ recipient }) => keys.has(emailKey(recipient))).map(({ id }) => id);
    for (const each of inChunks(ids))
      count += await deleted(tx.deleteFrom('messages').where('id', 'in', each));
  }
  return count;
}

function addressesIn(sessions: readonly { request: string }[]): Set<string> {
  const addresses = sessions.map(({ request }) => {
    const { ClientUser } = JSON.parse(request) as { ClientUser?: { EmailAddress?: string } };
    return ClientUser?.EmailAddress?.trim() ?? '';
  });
  return new Set(addresses.filter((address) => address !== ''));
}

/** Matches rows that contain the text. Some databases ignore case, so check the results. */
function contains(column: 'request' | 'body', text: string): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[%_~]/g, '~$&')}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '~'`;
}

async function deleted(statement: {
  executeTakeFirstOrThrow(): Promise<{ numDeletedRows: bigint }>;
}): Promise<number> {
  return Number((await statement.executeTakeFirstOrThrow()).numDeletedRows);
}

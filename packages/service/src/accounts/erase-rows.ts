/** Computes changes that remove personal data from a few rows. Empty if it is already removed. */
import { sql, type Transaction } from 'kysely';
import { ServiceError } from '../core/error.js';
import type { Tables } from '../platform/databases/tables.js';
import { removePersonalData, removeReasonText } from './rules/person.js';
import { accounts } from './store.js';

type Ids = readonly string[];

/** Changes to a row, or its deletion if `values` is null. */
export interface Change {
  readonly table: keyof Tables;
  readonly key: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string | number | null>> | null;
}

export async function apply(tx: Transaction<Tables>, changes: readonly Change[]): Promise<void> {
  await lockEnrolled(tx, changes);
  await Promise.all(
    changes.map(({ table, key, values }) => {
      const name = table as 'sessions';
      return values === null
        ? tx
            .deleteFrom(name)
            .where((row) => row.and(key))
            .execute()
        : tx
            .updateTable(name)
            .set(values)
            .where((row) => row.and(key))
            .execute();
    }),
  );
}

/**
 * Locks the accounts of deleted enrollments, as charges do. Otherwise, a charge that began before the deletion could commit
 * after it, and be made for an erased customer.
 */
async function lockEnrolled(tx: Transaction<Tables>, changes: readonly Change[]): Promise<void> {
  for (const { table, key } of changes)
    if (table === 'autopay') await accounts(tx).lock(String(key['account_id']));
}

export function deletions(table: Change['table'], keys: readonly Change['key'][]): Change[] {
  return keys.map((key) => ({ table, key, values: null }));
}

export function paymentInFlight(): ServiceError {
  return new ServiceError(
    'payment_in_flight',
    'A payment by this customer is being processed: run this again when its outcome is known.',
  );
}

export async function eraseWebhooks(tx: Transaction<Tables>, ids: Ids): Promise<Change[]> {
  const rows = await tx
    .selectFrom('outbox')
    .select(['id', 'status', 'body'])
    .where('id', 'in', ids)
    .execute();
  return rows.flatMap(({ id, status, body }): Change[] => {
    if (status !== 'pending') return [{ table: 'outbox', key: { id }, values: null }];
    const remaining = JSON.stringify(removePersonalData(JSON.parse(body)));
    return remaining === body ? [] : [{ table: 'outbox', key: { id }, values: { body: remaining } }];
  });
}

export async function eraseAuthorizations(tx: Transaction<Tables>, ids: Ids): Promise<Change[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('authorizations')
    .select('id')
    .where('id', 'in', ids)
    .where(sql<boolean>`(text <> '' or ip is not null or user_agent is not null)`)
    .execute();
  const values = { text: '', ip: null, user_agent: null };
  return rows.map(({ id }) => ({ table: 'authorizations', key: { id }, values }));
}

/** Authorizations of release 0.3 don't name the customer. */
function eraseAuthorizationsOf(
  tx: Transaction<Tables>,
  rows: readonly { authorization_id: string | null }[],
): Promise<Change[]> {
  const ids = new Set(rows.flatMap(({ authorization_id }) => authorization_id ?? []));
  return eraseAuthorizations(tx, [...ids]);
}

export async function endSchedules(tx: Transaction<Tables>, ids: Ids): Promise<Change[]> {
  const rows = await tx
    .selectFrom('schedules')
    .select(['id', 'status', 'authorization_id'])
    .where('id', 'in', ids)
    .execute();
  const values = { status: 'canceled' };
  return [
    ...rows.flatMap(({ id, status }): Change[] =>
      status === 'scheduled' ? [{ table: 'schedules', key: { id }, values }] : [],
    ),
    ...(await eraseAuthorizationsOf(tx, rows)),
  ];
}

export async function endAutopay(
  tx: Transaction<Tables>,
  customerId: string,
  accounts: Ids,
): Promise<Change[]> {
  const rows = await tx
    .selectFrom('autopay')
    .select(['account_id', 'customer_id', 'authorization_id'])
    .where('account_id', 'in', accounts)
    .where('customer_id', '=', customerId)
    .execute();
  const keys = rows.map(({ account_id, customer_id }) => ({ account_id, customer_id }));
  return [...deletions('autopay', keys), ...(await eraseAuthorizationsOf(tx, rows))];
}

/**
 * Keeps the fingerprint, which identifies nobody, for its usual time: a payment that the bank returns blocks its
 * account.
 *
 * @throws ServiceError `payment_in_flight`
 */
export async function eraseAttempts(tx: Transaction<Tables>, ids: Ids, now: number): Promise<Change[]> {
  const rows = await tx
    .selectFrom('attempts')
    .select(['id', 'status', 'source', 'fields', 'reason', 'authorization_id', 'forget_at'])
    .where('id', 'in', ids)
    .execute();
  if (rows.some(({ status }) => status === 'processing')) throw paymentInFlight();

  const changes = await eraseAuthorizationsOf(tx, rows);
  for (const { id, source, fields, reason, forget_at } of rows) {
    const { method, token, brand, last4, methodId, fingerprint } = JSON.parse(source) as Record<
      string,
      unknown
    >;
    const isUnsaved = methodId === undefined && token !== '';
    const remaining = JSON.stringify({
      method,
      token: isUnsaved ? token : '',
      brand,
      last4,
      holder: '',
      methodId,
      save: false,
      fingerprint,
    });
    const forgetAt = forgetTime({ isUnsaved, fingerprint }, forget_at, now);
    // A different `forget_at` alone is no change: a job may have set it since.
    const remainingReason = removeReasonText(reason);
    const isErased = remaining === source && fields === '{}' && remainingReason === reason;
    if (isErased && (forgetAt === null) === (forget_at === null)) continue;
    const values = { source: remaining, fields: '{}', reason: remainingReason, forget_at: forgetAt };
    changes.push({ table: 'attempts', key: { id }, values });
  }
  return [...changes, ...(await eraseRefunds(tx, ids))];
}

async function eraseRefunds(tx: Transaction<Tables>, attemptIds: Ids): Promise<Change[]> {
  const rows = await tx
    .selectFrom('refunds')
    .select(['id', 'reason'])
    .where('attempt_id', 'in', attemptIds)
    .where('reason', 'is not', null)
    .execute();
  return rows.flatMap(({ id, reason }): Change[] => {
    const remaining = removeReasonText(reason);
    return remaining === reason ? [] : [{ table: 'refunds', key: { id }, values: { reason: remaining } }];
  });
}

/** A token is deleted now, and a fingerprint when its payment can no longer be returned. */
function forgetTime(
  { isUnsaved, fingerprint }: { isUnsaved: boolean; fingerprint: unknown },
  planned: number | null,
  now: number,
): number | null {
  if (isUnsaved) return Math.min(planned ?? now, now);
  return fingerprint === undefined ? null : (planned ?? now);
}

/** Expires sessions whose link still works. Includes completed ones, because they can add methods. */
export async function eraseSessions(tx: Transaction<Tables>, ids: Ids): Promise<Change[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select(['id', 'status', 'request', 'created_at', 'expires_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.flatMap(({ id, status, request, created_at, expires_at }): Change[] => {
    const isOpen = status === 'Open' || status === 'Completed' || status === 'RequiresPaymentSource';
    const remaining = JSON.stringify(removePersonalData(JSON.parse(request)));
    // Earlier than the time of any request: its clock may be behind, and it may have read the time before it waited.
    const expiresAt = isOpen ? created_at : expires_at;
    if (remaining === request && expiresAt === expires_at) return [];
    return [{ table: 'sessions', key: { id }, values: { request: remaining, expires_at: expiresAt } }];
  });
}

/** Keeps the tokens until the processor has deleted them. */
export async function eraseMethods(tx: Transaction<Tables>, ids: Ids, now: number): Promise<Change[]> {
  const rows = await tx
    .selectFrom('methods')
    .select(['id', 'token', 'details', 'removed_at', 'forget_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.flatMap(({ id, token, details, removed_at, forget_at }): Change[] => {
    const { brand, last4, replaced } = JSON.parse(details) as Record<string, unknown>;
    const remaining = JSON.stringify({ brand, last4, holder: '', replaced });
    const forgetAt = token === '' ? null : Math.min(forget_at ?? now, now);
    const isErased = remaining === details && removed_at !== null;
    if (isErased && (forgetAt === null) === (forget_at === null)) return [];
    const values = { details: remaining, removed_at: removed_at ?? now, forget_at: forgetAt };
    return [{ table: 'methods', key: { id }, values }];
  });
}

/** Removes personal data from a few rows. Each function returns the number of rows that it changed, so 0 if it did so before. */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../platform/databases/tables.js';
import { removePersonalData, type Erased } from './rules/person.js';

type Ids = readonly string[];

/** A payment has no outcome yet. */
export class InFlight extends Error {}

/** Deletes finished webhooks and removes personal data from pending ones. */
export async function eraseWebhooks(tx: Transaction<Tables>, ids: Ids): Promise<Erased> {
  const rows = await tx
    .selectFrom('outbox')
    .select(['id', 'status', 'body'])
    .where('id', 'in', ids)
    .execute();
  const settled = rows.filter(({ status }) => status !== 'pending').map(({ id }) => id);
  if (settled.length > 0) await tx.deleteFrom('outbox').where('id', 'in', settled).execute();
  let count = settled.length;
  for (const { id, status, body } of rows) {
    if (status !== 'pending') continue;
    const remaining = JSON.stringify(removePersonalData(JSON.parse(body)));
    if (remaining === body) continue;
    await tx.updateTable('outbox').set({ body: remaining }).where('id', '=', id).execute();
    count += 1;
  }
  return { outbox: count };
}

export async function eraseAuthorizations(tx: Transaction<Tables>, ids: Ids): Promise<Erased> {
  if (ids.length === 0) return {};
  const erased = await tx
    .updateTable('authorizations')
    .set({ text: '', ip: null, user_agent: null })
    .where('id', 'in', ids)
    .where(sql<boolean>`(text <> '' or ip is not null or user_agent is not null)`)
    .returning('id')
    .execute();
  return { authorizations: erased.length };
}

/**
 * Keeps the fingerprint, which identifies nobody, for its usual time: a payment that the bank returns blocks its
 * account.
 *
 * @throws InFlight
 */
export async function eraseAttempts(tx: Transaction<Tables>, ids: Ids, now: number): Promise<Erased> {
  const rows = await tx
    .selectFrom('attempts')
    .select(['id', 'status', 'source', 'fields', 'authorization_id', 'forget_at'])
    .where('id', 'in', ids)
    .execute();
  if (rows.some(({ status }) => status === 'processing')) throw new InFlight();

  let attempts = 0;
  for (const { id, source, fields, forget_at } of rows) {
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
    const isErased = remaining === source && fields === '{}';
    if (isErased && (forgetAt === null) === (forget_at === null)) continue;
    await tx
      .updateTable('attempts')
      .set({ source: remaining, fields: '{}', forget_at: forgetAt })
      .where('id', '=', id)
      .execute();
    attempts += 1;
  }
  const authorizations = rows.flatMap(({ authorization_id }) => authorization_id ?? []);
  return { ...(await eraseAuthorizations(tx, authorizations)), attempts };
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

/** Expires sessions whose link still works, including completed ones, which can add methods. */
export async function eraseSessions(tx: Transaction<Tables>, ids: Ids): Promise<Erased> {
  let count = 0;
  const rows = await tx
    .selectFrom('sessions')
    .select(['id', 'status', 'request', 'created_at', 'expires_at'])
    .where('id', 'in', ids)
    .execute();
  for (const { id, status, request, created_at, expires_at } of rows) {
    const isOpen = status === 'Open' || status === 'Completed' || status === 'RequiresPaymentSource';
    const remaining = JSON.stringify(removePersonalData(JSON.parse(request)));
    // The past of every request, whose clock may be behind, and which may have read its time before it waited.
    const expiresAt = isOpen ? created_at : expires_at;
    if (remaining === request && expiresAt === expires_at) continue;
    await tx
      .updateTable('sessions')
      .set({ request: remaining, expires_at: expiresAt })
      .where('id', '=', id)
      .execute();
    count += 1;
  }
  return { sessions: count };
}

/** Keeps the tokens until the processor has deleted them. */
export async function eraseMethods(tx: Transaction<Tables>, ids: Ids, now: number): Promise<Erased> {
  let count = 0;
  const rows = await tx
    .selectFrom('methods')
    .select(['id', 'token', 'details', 'removed_at', 'forget_at'])
    .where('id', 'in', ids)
    .execute();
  for (const { id, token, details, removed_at, forget_at } of rows) {
    const { brand, last4, replaced } = JSON.parse(details) as Record<string, unknown>;
    const remaining = JSON.stringify({ brand, last4, holder: '', replaced });
    const forgetAt = token === '' ? null : Math.min(forget_at ?? now, now);
    const isErased = remaining === details && removed_at !== null;
    if (isErased && (forgetAt === null) === (forget_at === null)) continue;
    await tx
      .updateTable('methods')
      .set({ details: remaining, removed_at: removed_at ?? now, forget_at: forgetAt })
      .where('id', '=', id)
      .execute();
    count += 1;
  }
  return { methods: count };
}

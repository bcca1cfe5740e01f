/** Removes data that old sessions no longer need (decision 0045). */
import { ACCOUNT_NUMBER_FIELDS } from '../accounts/rules/person.js';
import { DAY_MS } from '../core/day.js';
import type { StoreTx } from '../core/store.js';
import type { Charge, ClientAccount } from '../core/requests.js';
import { inBatches } from '../platform/databases/records.js';

/** Retention of the full request, ms. By then every outcome is final, including bank returns. */
export const REQUEST_RETENTION_MS: number = 90 * DAY_MS;

/** What queries return and refunds need. */
const KEPT_FIELDS: ReadonlySet<string> = new Set([
  'BusinessUnitSlug',
  'Channel',
  'ClientReference',
  'CustomMeta',
  'PaymentFields',
  'Charges',
  'ClientAccount',
]);

interface Stored extends Readonly<Record<string, unknown>> {
  readonly ClientAccount?: ClientAccount;
  readonly Charges?: readonly Charge[];
}

function trimmedRequest(request: string): string {
  const parsed = JSON.parse(request) as Stored;
  const { Charges } = parsed;
  return JSON.stringify({
    ...pick(withTrimmedAccount(parsed), KEPT_FIELDS),
    ...(Charges && { Charges: Charges.map(withTrimmedAccount) }),
  });
}

function withTrimmedAccount(value: Stored | Charge): object {
  const { ClientAccount } = value;
  return ClientAccount ? { ...value, ClientAccount: pick(ClientAccount, ACCOUNT_NUMBER_FIELDS) } : value;
}

function pick(record: object, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => names.has(key)));
}

/** Stores the id up to which sessions are trimmed. Release 0.3 used another name and trimmed less. */
const CURSOR = 'sessions-trimmed-2';

/** Ids sort by time, so this needs no index. Resolves to 0 if the remaining sessions are too recent. */
export async function trimSessions(tx: StoreTx, now: number, limit: number): Promise<number> {
  const found = await tx.sessions.stored((await tx.meta.get(CURSOR)) ?? '', limit);
  const end = found.findIndex(({ createdAt }) => createdAt > now - REQUEST_RETENTION_MS);
  const [batch = []] = inBatches(end === -1 ? found : found.slice(0, end), limit);
  const last = batch.at(-1);
  if (last === undefined) return 0;

  // Sent together, because each round trip to the database delays the sweep.
  const stored = await Promise.all(
    batch.map(async ({ id }) => ({ id, request: await tx.sessions.requestOf(id) })),
  );
  for (const { id, request } of stored) {
    const trimmed = trimmedRequest(request);
    if (trimmed !== request) await tx.sessions.replaceRequest(id, trimmed);
  }
  await tx.meta.set(CURSOR, last.id);
  return batch.length;
}

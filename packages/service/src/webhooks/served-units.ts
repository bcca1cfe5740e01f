/** Which business units a database has served: rows name them, and no table lists them. */
import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';

const NAME = 'business-units';
/** More would hide what there is to do. */
const MOST_NAMED = 20;

/** Remembers the business units of a config; those that have left it stay. */
export async function nameUnits(tx: StoreTx, slugs: readonly string[]): Promise<void> {
  const known = (await namedUnits(tx)) ?? [];
  const all = [...new Set([...known, ...slugs])].toSorted();
  if (all.length > known.length) await tx.meta.set(NAME, JSON.stringify(all));
}

/**
 * Refuses a business unit that no service of the database has had: a slip, which would find nothing and look well.
 *
 * @throws ServiceError `invalid_arguments`, which names those that are there
 */
export async function refuseUnknownUnit(tx: StoreTx, slug: string): Promise<void> {
  const known = await namedUnits(tx);
  // Of before units were remembered.
  if (known === null || known.includes(slug)) return;
  const [attempts, messages] = await Promise.all([
    tx.attempts.page({ businessUnit: slug, limit: 1 }),
    tx.outbox.since(slug, 0, '', 1),
  ]);
  if (attempts.length + messages.length > 0) return;
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : '';
  const named = known.slice(0, MOST_NAMED).join(', ') + more;
  throw new ServiceError(
    'invalid_arguments',
    `This database has no business unit "${slug}". It has: ${named}.`,
  );
}

async function namedUnits(tx: StoreTx): Promise<readonly string[] | null> {
  const text = await tx.meta.get(NAME);
  return text === null ? null : (JSON.parse(text) as string[]);
}

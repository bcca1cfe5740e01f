/** Records the business units that a database has served and their time zones, because no table lists them. */
import { unitOf, type BusinessUnit, type ServiceConfig } from '../platform/config/config.js';
import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';

const MAX_NAMED = 20;

/** Adds a config's business units and keeps those that have left it. */
export async function recordUnits(
  tx: StoreTx,
  units: readonly Pick<BusinessUnit, 'slug' | 'timeZone'>[],
): Promise<void> {
  const known = await tx.meta.get('time-zones');
  const current = units.map(({ slug, timeZone }) => [slug, timeZone] as const);
  const next = JSON.stringify({ ...zonesIn(known), ...Object.fromEntries(current) });
  if (next !== known) await tx.meta.set('time-zones', next);
}

export async function timeZoneOf(
  tx: StoreTx,
  config: Pick<ServiceConfig, 'businessUnits'>,
  slug: string,
): Promise<string> {
  const unit = unitOf(config, slug);
  return unit?.timeZone ?? zonesIn(await tx.meta.get('time-zones'))[slug] ?? 'UTC';
}

function zonesIn(text: string | null): Readonly<Partial<Record<string, string>>> {
  return JSON.parse(text ?? '{}') as Record<string, string>;
}

/** Catches typos. @throws ServiceError `invalid_arguments`, which lists the known business units */
export async function refuseUnknownUnit(tx: StoreTx, slug: string): Promise<void> {
  const known = Object.keys(zonesIn(await tx.meta.get('time-zones'))).toSorted();
  // The list is empty until a service of this release has run.
  if (known.length === 0 || known.includes(slug)) return;
  // A unit that left the config before that is not listed.
  if ((await tx.attempts.positions({ businessUnit: slug, limit: 1 })).length > 0) return;

  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : '';
  const named = known.slice(0, MAX_NAMED).join(', ') + more;
  throw new ServiceError('invalid_arguments', `This database has no such business unit. It has: ${named}.`);
}

import type { Deps } from './deps.js';

/**
 * Takes the offset that the database holds: the clock of every process on one database tells the same time,
 * whichever of them moved it. Production's clock is never moved.
 */
export async function takeClockOffset({ env, clock, store }: Pick<Deps, 'env' | 'clock' | 'store'>): Promise<void> {
  if (env === 'production') return;
  const before = clock.offset;
  const stored = Number((await store.transaction((tx) => tx.meta.get('clock-offset'))) ?? 0);
  // Moved by this very process meanwhile: what was read may be older.
  if (clock.offset === before) clock.set(stored);
}

/** The clock of every process on one database tells the same time, whichever of them moved it. */
import type { Deps } from './deps.js';
import type { StoreTx } from './domain/store.js';

/** What time it is in a transaction, ms since the epoch. Production's clock is never moved. */
export async function timeIn(tx: StoreTx, { env, clock }: Pick<Deps, 'env' | 'clock'>): Promise<number> {
  return env === 'production' ? clock.now() : clock.at(await storedOffset(tx));
}

/** Takes over what another process has done to the clock. */
export async function takeClockOffset({
  env,
  clock,
  store,
}: Pick<Deps, 'env' | 'clock' | 'store'>): Promise<void> {
  if (env === 'production') return;
  const before = clock.offset;
  const stored = await store.transaction(storedOffset);
  // Moved by this very process meanwhile: what was read may be older.
  if (clock.offset === before) clock.set(stored);
}

async function storedOffset(tx: StoreTx): Promise<number> {
  return Number((await tx.meta.get('clock-offset')) ?? 0);
}

/** Keeps the movable clock in sync between all processes of one database. */
import type { MovableClock } from '../core/clock.js';
import type { Store, StoreTx } from '../core/store.js';
import type { ServiceEnvironment } from '../shared/environment.js';

interface Timed {
  readonly env: ServiceEnvironment;
  readonly clock: MovableClock;
}

/** Current time in a transaction, ms since the epoch. The production clock never moves. */
export async function timeIn(tx: StoreTx, { env, clock }: Timed): Promise<number> {
  return env === 'production' ? clock.now() : clock.at(await storedOffset(tx));
}

/** Applies a clock move made by another process. */
export async function takeClockOffset(timed: Timed & { readonly store: Store }): Promise<void> {
  if (timed.env !== 'production') await timed.store.read((tx) => takeOffsetIn(tx, timed));
}

/** {@link takeClockOffset} within an existing transaction. */
export async function takeOffsetIn(tx: StoreTx, { env, clock }: Timed): Promise<void> {
  if (env === 'production') return;
  const before = clock.offset;
  const stored = await storedOffset(tx);
  // Skip if this process moved the clock during the read: the stored offset may be older.
  if (clock.offset === before) clock.set(stored);
}

async function storedOffset(tx: StoreTx): Promise<number> {
  return Number((await tx.meta.get('clock-offset')) ?? 0);
}

/** The clock of every process on one database tells the same time, whichever of them moved it. */
import type { MovableClock } from '../core/clock.js';
import type { Store, StoreTx } from '../core/store.js';
import type { ServiceEnvironment } from '../shared/environment.js';

interface Timed {
  readonly env: ServiceEnvironment;
  readonly clock: MovableClock;
}

/** What time it is in a transaction, ms since the epoch. Production's clock is never moved. */
export async function timeIn(tx: StoreTx, { env, clock }: Timed): Promise<number> {
  return env === 'production' ? clock.now() : clock.at(await storedOffset(tx));
}

/** Takes over what another process has done to the clock. */
export async function takeClockOffset(timed: Timed & { readonly store: Store }): Promise<void> {
  if (timed.env !== 'production') await timed.store.read((tx) => takeOffsetIn(tx, timed));
}

/** {@link takeClockOffset} in a transaction that reads something else too. */
export async function takeOffsetIn(tx: StoreTx, { env, clock }: Timed): Promise<void> {
  if (env === 'production') return;
  const before = clock.offset;
  const stored = await storedOffset(tx);
  // Moved by this very process meanwhile: what was read may be older.
  if (clock.offset === before) clock.set(stored);
}

async function storedOffset(tx: StoreTx): Promise<number> {
  return Number((await tx.meta.get('clock-offset')) ?? 0);
}

import type { Store, StoreTx } from '../core/store.js';
import type { ServiceEnvironment } from '../shared/environment.js';

/**
 * The one source of time, ms since the epoch. Tests can move it; in production it is fixed to real time. The offset lives
 * in the database, so that all processes on it agree.
 */
export class MovableClock {
  offset = 0;

  now(): number {
    return this.at(this.offset);
  }

  at(offset: number): number {
    return Date.now() + offset;
  }
}

interface ClockDeps {
  readonly env: ServiceEnvironment;
  readonly clock: MovableClock;
}

/** Current time in a transaction, ms since the epoch. The production clock never moves. */
export async function timeIn(tx: StoreTx, { env, clock }: ClockDeps): Promise<number> {
  return env === 'production' ? clock.now() : clock.at(await storedOffset(tx));
}

/** Applies a clock move made by another process. */
export async function syncClock(timed: ClockDeps & { readonly store: Store }): Promise<void> {
  if (timed.env !== 'production') await timed.store.read((tx) => syncClockIn(tx, timed));
}

export async function syncClockIn(tx: StoreTx, { env, clock }: ClockDeps): Promise<void> {
  if (env === 'production') return;
  const before = clock.offset;
  const stored = await storedOffset(tx);
  // Skip if this process moved the clock during the read, because the stored offset may be outdated.
  if (clock.offset === before) clock.offset = stored;
}

async function storedOffset(tx: StoreTx): Promise<number> {
  return Number((await tx.meta.get('clock-offset')) ?? 0);
}

/** Removes what nobody asks for any more (decision 0045). */
import type { Deps } from '../deps.js';
import type { StoreTx } from '../domain/store.js';
import { SETTLED_KEPT_MS } from '../domain/outbox.js';

/** Few enough for a transaction that holds nobody up and ends long before the database's time limit. */
const AT_ONCE = 1_000;

/** Resolves when there is no more of it, or when the process stops. */
export async function sweep(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const pieces: readonly ((tx: StoreTx) => Promise<number>)[] = [
    (tx) => tx.idempotency.deleteExpired(now, AT_ONCE),
    (tx) => tx.outbox.deleteSettled(now - SETTLED_KEPT_MS, AT_ONCE),
  ];
  for (const piece of pieces) while (!signal.aborted && (await store.transaction(piece)) === AT_ONCE);
}

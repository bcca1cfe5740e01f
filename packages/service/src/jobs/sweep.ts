/** Removes what nobody asks for any more (decision 0045), and gives up what nobody can deliver. */
import { unitOf } from '../runtime/config.js';
import type { Deps } from '../deps.js';
import type { StoreTx } from '../domain/store.js';
import { giveUp } from '../domain/transactions/webhooks.js';
import { SETTLED_KEPT_MS, UNCLAIMED_MS } from '../domain/outbox.js';

/** Few enough for a transaction that holds nobody up and ends long before the database's time limit. */
const AT_ONCE = 1_000;
/** Fewer: each is written by itself. */
const GIVEN_UP_AT_ONCE = 100;

/** Resolves when there is no more of it, or when the process stops. */
export async function sweep(
  deps: Pick<Deps, 'store' | 'clock' | 'config' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock } = deps;
  const now = clock.now();
  await giveUpUnclaimed(deps, now, signal);
  const pieces: readonly ((tx: StoreTx) => Promise<number>)[] = [
    (tx) => tx.idempotency.deleteExpired(now, AT_ONCE),
    (tx) => tx.outbox.deleteSettled(now - SETTLED_KEPT_MS, AT_ONCE),
  ];
  for (const piece of pieces) while (!signal.aborted && (await store.transaction(piece)) === AT_ONCE);
}

/** Messages of business units that have no webhook here, and whose time came long ago: nobody else has one either. */
async function giveUpUnclaimed(
  { store, config, log }: Pick<Deps, 'store' | 'config' | 'log'>,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const due = { now: now - UNCLAIMED_MS, systemNow: Date.now() };
  const units = await store.read((tx) => tx.outbox.unitsDue(due.now, due.systemNow));
  for (const businessUnit of units.filter((slug) => unitOf(config, slug)?.webhook === undefined)) {
    for (let count = GIVEN_UP_AT_ONCE; count === GIVEN_UP_AT_ONCE && !signal.aborted;) {
      count = await store.transaction((tx) => giveUp(tx, businessUnit, due, now, GIVEN_UP_AT_ONCE));
      if (count > 0)
        log.warn('Webhooks were given up: no webhook is configured', { job: 'sweep', businessUnit, count });
    }
  }
}

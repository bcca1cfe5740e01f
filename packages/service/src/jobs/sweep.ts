/** Deletes expired data (decision 0045), gives up undeliverable webhooks, completes the ledger and forgets payers. */
import type { ItemRunner } from '../platform/item-runner.js';
import { unitOf } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import type { StoreTx } from '../core/store.js';
import { bookOlder } from '../ledger/book-older.js';
import { giveUp } from '../webhooks/queue.js';
import { forgetDue } from '../payments/forgetting.js';
import { trimSessions } from '../sessions/trim.js';
import { MESSAGE_RETENTION_MS } from '../messages/rules.js';
import { SETTLED_KEPT_MS, UNCLAIMED_MS } from '../webhooks/rules.js';

/** Rows per transaction, to keep it short: each may have 256 KiB, and SQLite deletes them on the event loop. */
const AT_ONCE = 100;
/** Fewer, because each row is read, and written separately. */
const GIVEN_UP_AT_ONCE = 10;

/** Sessions per transaction, fewer if their requests are large. */
const TRIMMED_AT_ONCE = 100;
/** Rounds of trimming in one sweep. */
const MAX_TRIMS = 100;

type Parts = Pick<Deps, 'env' | 'store' | 'clock' | 'config' | 'log' | 'processor'>;
type Piece = (tx: StoreTx) => Promise<number>;

/**
 * Resolves when everything expired is deleted, or when the process stops.
 * @param runner isolates failing items
 */
export async function sweep(parts: Parts, runner: ItemRunner, signal: AbortSignal): Promise<void> {
  const { store, clock, config, log } = parts;
  const now = clock.now();
  const due = { now: now - UNCLAIMED_MS, systemNow: Date.now() };
  /** Resolves to the number of rows. */
  const rounds = async (limit: number, piece: Piece): Promise<number> => {
    let total = 0;
    for (let count = limit; count === limit && !signal.aborted; total += count)
      count = await store.transaction(piece);
    return total;
  };
  // Long overdue messages of business units without a webhook here. No other process has a webhook for them either.
  await runner.each({
    find: async () => {
      const units = await store.read((tx) => tx.outbox.unitsDue(due.now, due.systemNow));
      return units.filter((slug) => unitOf(config, slug)?.webhook === undefined).map((id) => ({ id }));
    },
    limit: Infinity,
    about: ({ id }) => ({ businessUnit: id }),
    work: async ({ id: businessUnit }) => {
      const count = await rounds(GIVEN_UP_AT_ONCE, (tx) =>
        giveUp(tx, businessUnit, due, now, GIVEN_UP_AT_ONCE),
      );
      if (count > 0)
        log.warn('Webhooks were given up: no webhook is configured', { job: 'sweep', businessUnit, count });
      return true;
    },
  });
  const pieces: Readonly<Record<string, Piece>> = {
    '/idempotency': (tx) => tx.idempotency.deleteExpired(now, AT_ONCE),
    '/messages': (tx) => tx.messages.deleteSettled(now - MESSAGE_RETENTION_MS, AT_ONCE),
    '/outbox': (tx) => tx.outbox.deleteSettled(now - SETTLED_KEPT_MS, AT_ONCE),
  };
  await runner.each({
    find: async () => Object.entries(pieces).map(([id, piece]) => ({ id, piece })),
    limit: Infinity,
    work: async ({ piece }) => {
      await rounds(AT_ONCE, piece);
      return true;
    },
  });
  await bookOlder(parts, runner, signal);
  await forgetDue(parts, runner, signal);
  await runner.each({
    find: async () => [{ id: '/sessions' }],
    limit: 1,
    work: async () => {
      // After an upgrade, years of sessions wait: the next sweep continues.
      for (let round = 0, count = 1; round < MAX_TRIMS && count > 0 && !signal.aborted; round++)
        count = await store.transaction((tx) => trimSessions(tx, now, TRIMMED_AT_ONCE));
      return true;
    },
  });
}

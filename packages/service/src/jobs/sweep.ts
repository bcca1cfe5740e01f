/** Deletes expired data (decision 0045), gives up undeliverable webhooks, completes the ledger and erases payer data. */
import type { ItemRunner } from '../platform/item-runner.js';
import { pauseSince } from '../platform/timeouts.js';
import { unitOf } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import type { StoreTx } from '../core/store.js';
import { backfill } from '../ledger/backfill.js';
import { giveUp } from '../webhooks/queue.js';
import { trimSessions, REQUEST_RETENTION_MS } from '../sessions/trim.js';
import { MESSAGE_RETENTION_MS } from '../messages/rules.js';
import { WEBHOOK_RETENTION_MS, UNCLAIMED_MS } from '../webhooks/rules.js';

/** Rows per transaction; fewer if they are large, because SQLite changes them on the event loop. */
const BATCH_SIZE = 100;
/** Fewer, because rows are read and written one by one. */
const GIVE_UP_BATCH_SIZE = 4;

/** Maximum rounds of each task per sweep. */
const MAX_ROUNDS = 1_000;
const MAX_TRIMS = 100;

type Parts = Pick<Deps, 'env' | 'store' | 'clock' | 'config' | 'log'>;
type Task = (tx: StoreTx) => Promise<number>;

/** Stops after a limit of rounds; the next sweep continues. */
export async function sweep(parts: Parts, runner: ItemRunner, signal: AbortSignal): Promise<void> {
  const { store, clock, config, log } = parts;
  const now = clock.now();
  const due = { now: now - UNCLAIMED_MS, systemNow: Date.now() };
  const repeat = async (task: Task, most = MAX_ROUNDS): Promise<number> => {
    let total = 0;
    for (let round = 0, count = 1; round < most && count > 0 && !signal.aborted; round++) {
      const begunAt = performance.now();
      count = await store.transaction(task);
      if (count > 0) await pauseSince(begunAt);
      total += count;
    }
    return total;
  };
  const repeatEach = (tasks: Readonly<Record<string, Task>>, most?: number): Promise<number> =>
    runner.each({
      find: async () => Object.entries(tasks).map(([id, task]) => ({ id, task })),
      limit: Infinity,
      work: async ({ task }) => {
        await repeat(task, most);
        return true;
      },
    });

  // Overdue messages of business units without a webhook.
  await runner.each({
    find: async () => {
      const units = await store.read((tx) => tx.outbox.unitsDue(due.now, due.systemNow));
      return units.filter((slug) => unitOf(config, slug)?.webhook === undefined).map((id) => ({ id }));
    },
    limit: Infinity,
    about: ({ id }) => ({ businessUnit: id }),
    work: async ({ id: businessUnit }) => {
      const count = await repeat((tx) => giveUp(tx, businessUnit, due, now, GIVE_UP_BATCH_SIZE));
      if (count > 0)
        log.warn('Gave up on webhooks: no webhook is configured', { job: 'sweep', businessUnit, count });
      return true;
    },
  });
  await repeatEach({
    '/idempotency': (tx) => tx.idempotency.deleteExpired(now, BATCH_SIZE),
    '/messages': (tx) => tx.messages.deleteSettled(now - MESSAGE_RETENTION_MS, BATCH_SIZE),
    '/messages without a channel': (tx) =>
      tx.messages.deleteAbandoned(now - MESSAGE_RETENTION_MS, BATCH_SIZE),
    '/outbox': (tx) => tx.outbox.deleteSettled(now - WEBHOOK_RETENTION_MS, BATCH_SIZE),
  });
  await backfill(parts, runner, signal);
  const before = now - REQUEST_RETENTION_MS;
  // After an upgrade there may be years of them: continue in the next sweep.
  await repeatEach(
    {
      '/sessions': (tx) => trimSessions(tx, now, BATCH_SIZE),
      '/attempts': (tx) => tx.attempts.forgetOlder(before, now, BATCH_SIZE),
      '/methods': (tx) => tx.methods.forgetOlder(before, now, BATCH_SIZE),
    },
    MAX_TRIMS,
  );
}

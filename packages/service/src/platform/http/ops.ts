/** Health on every port, metrics on the ops port only. */
import { Hono } from 'hono';
import type { Deps } from '../../deps.js';
import { guard } from './guarded.js';
import { inTime } from '../in-time.js';
import { describeError } from '../log/log.js';
import { nothingHere } from './nothing-here.js';
import type { Seen } from '../metrics.js';

/**
 * `/healthz`: the process responds. `/readyz`: the database also accepts writes, the service is not draining, and
 * production has a processor.
 */
export function health(deps: Deps): Hono {
  const app = new Hono();
  // Write instead of read: a full disk or a missing standby still serves reads.
  const commit = remembered(() => deps.store.transaction((tx) => tx.meta.probe()));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    if (deps.draining?.()) return c.json({ status: 'stopping' }, 503);
    if (deps.unready !== undefined)
      return c.json({ status: 'no payment processor', reason: deps.unready }, 503);
    try {
      await inTime(commit(), READY_MS, 'database_unavailable');
      return c.json({ status: 'ok' });
    } catch (error) {
      deps.log.error('the database does not answer', { error: describeError(error) });
      return c.json({ status: 'database unavailable' }, 503);
    }
  });
  return app;
}

/** Timeout of a readiness probe, ms; a hanging database counts as unavailable. */
const READY_MS = 2_000;

/** Concurrent probes share one query, so they don't pile up on a hanging database. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => (pending ??= ask().finally(() => (pending = undefined)));
}

/** Cache lifetime of a probe result, real ms. */
const REMEMBERED_MS = 250;

/** Readiness is unauthenticated, so it writes to the database at most four times a second. */
function remembered<T>(probe: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let settledAt: number | undefined;

  return () => {
    const isFresh = settledAt === undefined || performance.now() - settledAt < REMEMBERED_MS;
    if (last !== undefined && isFresh) return last;

    settledAt = undefined;
    last = probe().finally(() => (settledAt = performance.now()));
    return last;
  };
}

/** Stop counting here: this many already raise an alarm, and counting all is slow. */
const MAX_COUNTED = 10_000;

/** The app on `--ops-port`. */
export function opsApp(deps: Deps): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.route('/', health(deps));
  const backlog = shared(() => deps.store.read((tx) => tx.agenda.backlog(MAX_COUNTED)));
  const look = async (): Promise<Seen> => {
    const pool = deps.pool === undefined ? {} : { pool: deps.pool() };
    try {
      const { messages, processingSince, areJobsHeld } = await inTime(
        backlog(),
        READY_MS,
        'database_unavailable',
      );
      // The clock may have been moved back, so clamp to 0.
      const processingMs = Math.max(0, deps.clock.now() - (processingSince ?? Infinity));
      return { ...pool, messages, processingMs, areJobsHeld };
    } catch {
      return pool;
    }
  };
  app.get('/metrics', async (c) =>
    deps.metrics
      ? c.body(await deps.metrics.text(await look()), 200, { 'content-type': deps.metrics.contentType })
      : c.notFound(),
  );
  app.notFound((c) => nothingHere(app, c));
  return app;
}

/** Health on every port, metrics on the ops port only. */
import { Hono } from 'hono';
import type { Deps } from '../../deps.js';
import { guard, notFoundResponse } from './envelope.js';
import { withTimeout } from '../timeouts.js';
import { describeError } from '../log/log.js';
import { MAX_PENDING, type MetricsSnapshot } from '../metrics.js';

/** `/readyz` checks that the database accepts writes, that production has a processor, and that nothing drains. */
export function health(deps: Deps): Hono {
  const app = new Hono();
  // Probe with a write, because reads still work with a full disk or a missing standby.
  const commit = cached(() => deps.store.transaction((tx) => tx.meta.probe()));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    if (deps.draining?.()) return c.json({ status: 'stopping' }, 503);
    if (deps.unready !== undefined)
      return c.json({ status: 'no payment processor', reason: deps.unready }, 503);

    try {
      await withTimeout(commit(), READY_MS, 'database_unavailable');
      return c.json({ status: 'ok' });
    } catch (error) {
      deps.log.error('The database does not respond', { error: describeError(error) });
      return c.json({ status: 'database unavailable' }, 503);
    }
  });
  return app;
}

/** Timeout of a readiness probe, ms. A hanging database counts as unavailable. */
export const READY_MS = 2_000;

const CACHE_MS = 250;

/** At most four queries a second, because readiness is unauthenticated. Requests share a query, even a hanging one. */
function cached<T>(query: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let settledAt: number | undefined;

  return () => {
    const isFresh = settledAt === undefined || performance.now() - settledAt < CACHE_MS;
    if (last !== undefined && isFresh) return last;

    settledAt = undefined;
    last = query().finally(() => (settledAt = performance.now()));
    return last;
  };
}

export function opsApp(deps: Deps): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.route('/', health(deps));
  const backlog = cached(() => deps.store.read((tx) => tx.agenda.backlog(deps.clock.now())));
  const pending = cached(() => deps.store.read((tx) => tx.outbox.pending(MAX_PENDING)));
  // The clock may have been moved back, so clamp to 0.
  const ageOf = (since: number): number => Math.max(0, deps.clock.now() - since);
  const payments = async (): Promise<MetricsSnapshot> => {
    const { processingSince, areJobsHeld } = await withTimeout(backlog(), READY_MS, 'database_unavailable');
    return { processingMs: ageOf(processingSince ?? Infinity), areJobsHeld };
  };
  const webhooks = async (): Promise<MetricsSnapshot> => {
    const units = await withTimeout(pending(), READY_MS, 'database_unavailable');
    return { messages: units.map(({ since, ...unit }) => ({ ...unit, ageMs: ageOf(since) })) };
  };
  /** Omits values that the database doesn't return in time. */
  const snapshot = async (): Promise<MetricsSnapshot> => {
    const seen = await Promise.all([payments(), webhooks()].map((part) => part.catch(() => ({}))));
    return Object.assign(deps.pool === undefined ? {} : { pool: deps.pool() }, ...seen);
  };
  app.get('/metrics', async (c) =>
    deps.metrics
      ? c.body(await deps.metrics.text(await snapshot()), 200, { 'content-type': deps.metrics.contentType })
      : c.notFound(),
  );
  app.notFound((c) => notFoundResponse(app, c));
  return app;
}

/** Health on every port, metrics on the ops port alone. */
import { Hono } from 'hono';
import type { Deps } from '../../deps.js';
import type { Origin } from '../../webhooks/rules.js';
import { guard } from './guarded.js';
import { inTime } from '../in-time.js';
import { describeError } from '../log/log.js';
import { nothingHere } from './nothing-here.js';
import type { Seen } from '../metrics.js';

interface Probed {
  /** Not on the ops port, whose requests have no name. */
  Variables: { origin?: Origin };
}

/** `/healthz`: the process answers. `/readyz`: its database takes writes too, and it is not on its way out. */
export function health(deps: Deps): Hono<Probed> {
  const app = new Hono<Probed>();
  // Written and not just read: what has no room, or commits nothing, serves nobody, though it may still be read.
  const commit = remembered(() => deps.store.transaction((tx) => tx.meta.probe()));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    if (deps.draining?.()) return c.json({ status: 'stopping' }, 503);
    try {
      await inTime(commit(), READY_MS, 'database_unavailable');
      return c.json({ status: 'ok' });
    } catch (error) {
      deps.log.error('the database does not answer', { ...c.get('origin'), error: describeError(error) });
      return c.json({ status: 'database unavailable' }, 503);
    }
  });
  return app;
}

/** A database that hangs is as good as one that is gone, and whoever probes waits no longer than this, ms. */
const READY_MS = 2_000;

/** However many ask meanwhile, one of them is enough for a database that hangs. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => (asking ??= ask().finally(() => (asking = undefined)));
}

/** How long an outcome answers further probes, real ms. */
const REMEMBERED_MS = 250;

/** Anybody may ask for readiness: the database is written at most four times a second for it. */
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

/** Counted no further: that many are an alarm, and counting them all would be work. */
const MOST_COUNTED = 10_000;

/** What `--ops-port` serves. */
export function opsApp(deps: Deps): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.route('/', health(deps));
  const backlog = shared(() => deps.store.read((tx) => tx.agenda.backlog(MOST_COUNTED)));
  const look = async (): Promise<Seen> => {
    const pool = deps.pool === undefined ? {} : { pool: deps.pool() };
    try {
      const { messages, processingSince } = await inTime(backlog(), READY_MS, 'database_unavailable');
      // A clock that was put back makes nothing younger than new.
      const processingMs = Math.max(0, deps.clock.now() - (processingSince ?? Infinity));
      return { ...pool, messages, processingMs };
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

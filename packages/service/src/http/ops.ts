/** Health on every port, metrics on the ops port alone. */
import { Hono } from 'hono';
import type { Deps } from '../deps.js';
import { inTime } from '../runtime/in-time.js';
import { describeError } from '../runtime/log.js';

/** `/healthz`: the process answers. `/readyz`: its database commits too, and it is not on its way out. */
export function health(deps: Deps): Hono {
  const app = new Hono();
  // In a transaction and not just read: what commits nothing serves nobody, though it may still be read.
  const commit = (): Promise<unknown> => deps.store.transaction((tx) => tx.meta.get('environment'));
  let committing: Promise<unknown> | undefined;
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    if (deps.draining?.()) return c.json({ status: 'stopping' }, 503);
    try {
      // However many ask meanwhile, one of them is enough for a database that hangs.
      committing ??= commit().finally(() => (committing = undefined));
      await inTime(committing, READY_MS, 'database_unavailable');
      return c.json({ status: 'ok' });
    } catch (error) {
      deps.log.error('the database does not answer', { error: describeError(error) });
      return c.json({ status: 'database unavailable' }, 503);
    }
  });
  return app;
}

/** A database that hangs is as good as one that is gone, and whoever probes waits no longer than this, ms. */
const READY_MS = 2_000;

/** What `--ops-port` serves. */
export function opsApp(deps: Deps): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.res.headers.set('x-content-type-options', 'nosniff');
  });
  app.route('/', health(deps));
  app.get('/metrics', async (c) =>
    deps.metrics
      ? c.body(await deps.metrics.text(), 200, { 'content-type': deps.metrics.contentType })
      : c.notFound(),
  );
  return app;
}

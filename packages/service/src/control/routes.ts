/**
 * The control API for tests and demos, outside production only. It listens on its own loopback port and refuses
 * browser pages.
 */
import type { Hono } from 'hono';
import { isOfBrowser } from '../api/auth.js';
import type { Control } from './control.js';
import type { Deps } from '../deps.js';
import { parseFault } from './fault-list.js';
import { syncClock } from '../platform/clock-offset.js';
import { localApp, readFields } from './local-app.js';
import { parseDuration } from './duration.js';

export function controlApi(
  deps: Pick<Deps, 'config' | 'clock' | 'log' | 'env' | 'store'>,
  control: Control,
): Hono {
  const app = localApp({
    log: deps.log,
    field: 'error',
    notFound: 'GET or POST /clock, POST /reset, /faults or GET /state?businessUnit=SLUG',
    internalError: (message) => `It failed: ${message}`,
  });
  app.use(async (c, next) => (isOfBrowser(c.req.raw.headers) ? c.json({ error: BROWSER }, 403) : next()));
  const time = () => ({ now: new Date(deps.clock.now()).toISOString(), offsetMs: deps.clock.offset });
  app.get('/clock', async (c) => {
    await syncClock(deps);
    return c.json(time());
  });
  app.post('/clock', async (c) => {
    const { advance } = await readFields(c);
    const ms = parseDuration(advance);
    if (ms === null) {
      return c.json(
        { error: 'Send {"advance":"31m"}: numbers with ms, s, m, h or d, such as "1h30m".' },
        400,
      );
    }
    await control.advance(ms);
    return c.json(time());
  });
  app.post('/reset', async (c) => {
    await control.reset();
    return c.json({ ok: true });
  });
  app.post('/faults', async (c) => {
    const fault = parseFault(await readFields(c));
    if ('problem' in fault) return c.json({ error: fault.problem }, 400);
    control.fault(fault);
    return c.json({ ok: true });
  });
  app.get('/state', async (c) => {
    const slug = c.req.query('businessUnit') ?? '';
    if (!deps.config.businessUnits.some((unit) => unit.slug === slug)) {
      return c.json({ error: 'Add ?businessUnit=SLUG with a business unit of the config file.' }, 404);
    }
    return c.json(await control.state(slug));
  });
  return app;
}

const BROWSER = 'A browser page must not call this: call it from a test or a command line.';

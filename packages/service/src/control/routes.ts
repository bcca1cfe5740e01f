/**
 * The control API for tests and demos, outside production only. It listens on its own loopback port and refuses
 * browser pages.
 */
import { Hono } from 'hono';
import type { Control } from './control.js';
import type { Deps } from '../deps.js';
import { parseFault } from './fault-list.js';
import { takeClockOffset } from '../platform/clock-offset.js';
import { readJson } from './read-json.js';
import { refusalOf } from './refusal-of.js';
import { guard } from '../platform/http/guarded.js';
import { describeError } from '../platform/log/log.js';
import { otherMethods } from '../platform/http/methods.js';
import { parseDuration } from './duration.js';
import { isLoopback } from './loopback.js';

/** @example const api = controlApi(deps, createControl(deps, jobs, faults, (request) => app.fetch(request))); */
export function controlApi(
  deps: Pick<Deps, 'config' | 'clock' | 'log' | 'env' | 'store'>,
  control: Control,
): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.use(async (c, next) => {
    const problem = refuseRequest(c.req.raw.headers);
    return problem === null ? next() : c.json({ error: problem }, 403);
  });
  const time = () => ({ now: new Date(deps.clock.now()).toISOString(), offsetMs: deps.clock.offset });
  app.get('/clock', async (c) => {
    await takeClockOffset(deps);
    return c.json(time());
  });
  app.post('/clock', async (c) => {
    const body = await readJson(c.req.raw);
    const ms = parseDuration(body?.['advance']);
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
    const fault = parseFault(await readJson(c.req.raw));
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
  app.onError((error, c) => {
    const refused = refusalOf(error);
    if (refused) return c.json({ error: error.message }, refused.status, refused.headers);

    deps.log.error('A control request failed', { error: describeError(error) });
    return c.json({ error: `It failed: ${error.message}` }, 500);
  });
  app.notFound((c) => {
    const allow = otherMethods(app, c);
    if (allow !== null) return c.json({ error: `This address accepts only ${allow}.` }, 405, { allow });
    return c.json({ error: 'GET or POST /clock, POST /reset, /faults or GET /state?businessUnit=SLUG' }, 404);
  });
  return app;
}

/** `Host` reveals a page that resolves its own name to loopback (DNS rebinding); the other two reveal any page. */
function refuseRequest(headers: Headers): string | null {
  if (!isLoopback(headers.get('host'))) return 'Use a loopback address.';
  const site = headers.get('sec-fetch-site');
  return headers.has('origin') || (site !== null && site !== 'none')
    ? 'A browser page must not call this: call it from a test or a command line.'
    : null;
}

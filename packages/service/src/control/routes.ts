/** The control API for tests and demos, on a loopback port that browser pages can't use. */
import { Hono } from 'hono';
import { isOfBrowser } from '../api/auth.js';
import type { Control } from './control.js';
import type { Deps } from '../deps.js';
import { parseFault, parseDuration, readFields } from './input.js';
import { syncClock } from '../platform/clock.js';
import { ServiceError } from '../core/error.js';
import { guard, otherMethods } from '../platform/http/envelope.js';
import { describeError, type Log } from '../platform/log/log.js';

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

/** An app for this machine only. @param field the response field with the reason for a refusal */
export function localApp({
  log,
  field,
  notFound,
  internalError,
}: {
  log: Log;
  field: 'error' | 'message';
  notFound: string;
  internalError: (message: string) => string;
}): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.use(async (c, next) =>
    isLoopback(c.req.header('host')) ? next() : c.json({ [field]: 'Use a loopback address.' }, 403),
  );
  app.notFound((c) => {
    const allow = otherMethods(app, c);
    if (allow === null) return c.json({ [field]: notFound }, 404);
    return c.json({ [field]: `This address accepts only ${allow}.` }, 405, { allow });
  });
  app.onError((error, c) => {
    const status = error instanceof ServiceError ? STATUS[error.code] : undefined;
    if (status === undefined) {
      log.error('A request of a local app failed', { error: describeError(error) });
      return c.json({ [field]: internalError(error.message) }, 500);
    }
    const { retryAfter } = error as ServiceError;
    if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
    return c.json({ [field]: error.message }, status);
  });
  return app;
}

const STATUS: Readonly<Partial<Record<ServiceError['code'], 400 | 413 | 503>>> = {
  body_too_large: 413,
  invalid: 400,
  unavailable: 503,
};

/** Whether a `Host` is a loopback name or address. Other names may resolve here too (DNS rebinding). */
function isLoopback(host = ''): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host.replace(/:\d+$/, '').toLowerCase());
}

/** The control API for tests and demos, on a loopback port that browser pages can't use. */
import { Hono } from 'hono';
import { isOfBrowser } from '../api/auth.js';
import type { Control } from './control.js';
import type { Deps } from '../deps.js';
import { iso } from '../core/day.js';
import { parseFault, parseMove, readFields } from './input.js';
import { syncClock } from '../platform/clock.js';
import { ServiceError } from '../core/error.js';
import type { Faults } from '../platform/faults.js';
import { guard, otherMethods } from '../platform/http/envelope.js';
import { describeError, type Log } from '../platform/log/log.js';
import type { ClockView, FaultView } from '../shared/inspector.js';

export function controlApi(deps: Deps, control: Control, faults: Faults): Hono {
  const app = localApp(
    deps.log,
    'GET or POST /clock, POST /reset, GET, POST or DELETE /faults, or GET /state?businessUnit=SLUG',
  );
  app.use(async (c, next) => (isOfBrowser(c.req.raw.headers) ? c.json({ error: BROWSER }, 403) : next()));
  clockAndFaults(app, deps, control, faults);
  app.post('/reset', async (c) => {
    await control.reset();
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

/** Routes that the inspector has, too. */
export function clockAndFaults(app: Hono, deps: Deps, control: Control, faults: Faults): void {
  const { clock } = deps;
  const time = (): ClockView => ({ now: iso(clock.now()), offsetMs: clock.offset });
  const armed = (): FaultView[] => faults.waiting.map(({ times, ...fault }) => ({ ...fault, left: times }));

  app.get('/clock', async (c) => {
    await syncClock(deps);
    return c.json(time());
  });
  app.post('/clock', async (c) => {
    const move = parseMove(await readFields(c), clock);
    if (typeof move === 'string') return c.json({ error: move }, 400);
    await control.advance(move);
    return c.json(time());
  });
  app.get('/faults', (c) => c.json(armed()));
  app.post('/faults', async (c) => {
    const fault = parseFault(await readFields(c));
    if ('problem' in fault) return c.json({ error: fault.problem }, 400);
    control.fault(fault);
    return c.json(armed());
  });
  app.delete('/faults', (c) => {
    faults.clear();
    return c.json(armed());
  });
}

/** An app for this machine only. */
export function localApp(log: Log, notFound: string): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.use(async (c, next) =>
    isLoopback(c.req.header('host')) ? next() : c.json({ error: 'Use a loopback address.' }, 403),
  );
  app.notFound((c) => {
    const allow = otherMethods(app, c);
    if (allow === null) return c.json({ error: notFound }, 404);
    return c.json({ error: `This address accepts only ${allow}.` }, 405, { allow });
  });
  app.onError((error, c) => {
    const status = error instanceof ServiceError ? STATUS[error.code] : undefined;
    if (status === undefined) {
      const described = describeError(error);
      log.error('A request to the control API or inspector failed', { error: described });
      return c.json({ error: `Request failed: ${described.message}` }, 500);
    }
    const { retryAfter } = error as ServiceError;
    if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
    return c.json({ error: error.message }, status);
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

/** What happens around every request: its id, its line in the log, the faults that a test asked for. */
import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import type { Deps } from '../deps.js';
import { ServiceError } from '../domain/error.js';
import type { Origin } from '../domain/outbox.js';
import { guard } from '../runtime/guarded.js';
import { describeError } from '../runtime/log.js';
import type { Trace } from './merchant/endpoint.js';
import { failure, injected } from './merchant/envelope.js';
import { ConnectionDropped, dropConnection } from '../runtime/faults.js';
import { readTraceparent } from '../runtime/trace.js';

export interface Around {
  Variables: { origin: Origin; trace: Trace };
}

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Gives each request an id, and tells of it when it is answered; probes are not worth a line each. */
export function observed(deps: Deps): MiddlewareHandler<Around> {
  return async (c, next) => {
    const startedAt = performance.now();
    const requestId = deps.newId('req_');
    const traceparent = readTraceparent(c.req.header('traceparent'));
    const origin = { requestId, ...(traceparent === undefined ? {} : { traceparent }) };
    c.set('origin', origin);
    c.set('trace', {});
    await next();
    c.res.headers.set('x-request-id', requestId);
    guard(c.res.headers);
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const { method, routePath: route, path } = c.req;
    const { status } = c.res;
    deps.metrics?.request({ route, method, status, ms });
    if (!PROBES.has(path))
      deps.log.info('request', { ...origin, method, route, status, ms, ...c.get('trace') });
  };
}

/** Outside production, where a developer looks on. */
export function watched(deps: Deps): MiddlewareHandler<Around> {
  return async (c, next) => {
    if (!deps.watch) return next();
    await deps.watch(c.req.raw, c.get('origin').requestId, async () => {
      await next();
      return c.res;
    });
    return undefined;
  };
}

/** What Node answered itself, because the request had not arrived in time, counts as that and not as our refusal. */
export function arrived(): MiddlewareHandler<Around> {
  return async (c, next) => {
    await next();
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
    const ended: NodeJS.ErrnoException | null | undefined = incoming?.socket.errored;
    if (incoming?.complete !== false || ended?.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return;
    c.get('trace').codes = ['request_timeout'];
    c.res = new Response(null, { status: 408 });
  };
}

/** Endpoints put faults where their transactions are; everything else has them around the whole request. */
export function faulty(deps: Deps): MiddlewareHandler<Around> {
  return async (c, next) => {
    const { path } = c.req;
    if (!deps.faults || path.startsWith('/integrations/')) return next();
    await deps.faults.delay(path);
    const status = deps.faults.take('status', path)?.status;
    if (status !== undefined) return injected(status);
    if (deps.faults.take('drop-before-commit', path))
      throw new ConnectionDropped('dropped before the commit');
    await next();
    if (deps.faults.take('drop-after-commit', path)) throw new ConnectionDropped('dropped after the commit');
    return undefined;
  };
}

/** The answer to whatever was thrown; what is no refusal of ours is logged and told nothing of. */
export function answerError(deps: Deps, error: unknown, c: Context<Around>): Response {
  if (error instanceof ConnectionDropped) {
    if (c.env === undefined) throw error;
    dropConnection(c.env);
    return new Response(null, { status: 499 });
  }
  if (error instanceof ServiceError)
    c.get('trace').codes = [...new Set(error.errors.map(({ code }) => code))];
  const answer = failure(error);
  if (answer.status >= 500)
    deps.log.error('a request failed', { ...c.get('origin'), error: describeError(error) });
  return answer;
}

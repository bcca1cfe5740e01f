/** Middleware for every request: id, log line, injected faults. */
import { msSince } from '../timeouts.js';
import { SpanKind, type Span } from '@opentelemetry/api';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { Deps } from '../../deps.js';
import { ServiceError } from '../../core/error.js';
import { defined } from '../../core/defined.js';
import { addToLog, currentContext, runInContext } from '../context.js';
import { describeError } from '../log/log.js';
import type { BoundedRequest } from './connections.js';
import { failure, injected, guard, REQUEST_ID } from './envelope.js';
import { ConnectionDropped, delayed, dropConnection } from '../faults.js';
import { attributesOf, inSpan, spanFailed, traceparentOf } from '../tracing.js';

export interface RequestContext {
  Variables: {
    /** A response that already has all headers. */
    whole: Response;
  };
}

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Gives each request an id and logs it, except probes. Outside production it also feeds the inspector. */
export function observed(deps: Deps): MiddlewareHandler<RequestContext> {
  return (c, next) => {
    const requestId = deps.newId('req_');
    const from = { traceparent: c.req.header('traceparent') };
    const respond = (span?: Span): Promise<void> =>
      runInContext(
        {
          log: { requestId, ...defined({ traceparent: traceparentOf(span) }) },
          parsed: { bytes: 0 },
        },
        () => observe(deps, c, requestId, next, span),
      );
    return PROBES.has(c.req.path)
      ? respond()
      : inSpan(c.req.method, { kind: SpanKind.SERVER, about: {}, from }, respond);
  };
}

async function observe(
  deps: Deps,
  c: Context<RequestContext>,
  requestId: string,
  next: Next,
  span: Span | undefined,
): Promise<void> {
  const { incoming } = (c.env ?? {}) as { incoming?: Partial<BoundedRequest> };
  const startedAt = incoming?.arrivedAt ?? performance.now();
  const respond = async (): Promise<Response> => {
    await next();
    return c.res;
  };
  await (deps.watch ? deps.watch.request(c.req.raw, requestId, respond) : respond());

  const { res } = c;
  if (c.get('whole') !== res) {
    res.headers.set(REQUEST_ID, requestId);
    guard(res.headers);
  }
  const ms = msSince(startedAt);
  const { method, routePath: route, path } = c.req;
  const { status } = res;
  deps.metrics?.request({ route, method, status, ms });
  if (span) describeRequest(span, { method, route, status });
  if (!PROBES.has(path)) deps.log.info('request', { method, route, status, ms });
}

function describeRequest(span: Span, request: { method: string; route: string; status: number }): void {
  if (!span.isRecording()) return;

  const { method, route, status } = request;
  const { businessUnit, sessionId, paymentId, outcome } = currentContext().log;
  span.updateName(`${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...attributesOf(defined({ businessUnit, sessionId, paymentId, outcome })),
  });
  if (status >= 500) spanFailed(span, `HTTP ${status}`);
}

/** Not for endpoints with transactions, which inject faults themselves and are registered before this. */
export function faulty(deps: Deps): MiddlewareHandler<RequestContext> {
  return async (c, next) => {
    const { path } = c.req;
    const faults = path.startsWith('/integrations/') ? undefined : deps.faults;
    if (!faults) return next();

    await delayed(faults, path);
    const status = faults.take('status', path)?.status;
    if (status !== undefined) return injected(status);
    if (faults.take('drop-before-commit', path)) throw new ConnectionDropped('dropped before the commit');

    await next();
    if (faults.take('drop-after-commit', path)) throw new ConnectionDropped('dropped after the commit');
    return undefined;
  };
}

/** Turns an error into a response. Logs unexpected errors, whose responses have no details. */
export function errorResponse(deps: Deps, error: unknown, c: Context<RequestContext>): Response {
  if (error instanceof ConnectionDropped) {
    if (c.env === undefined) throw error;
    dropConnection(c.env);
    return new Response(null, { status: 499 });
  }
  if (error instanceof ServiceError) addToLog({ codes: [...new Set(error.errors.map(({ code }) => code))] });
  const answer = failure(error);
  if (answer.status >= 500) deps.log.error('A request failed', { error: describeError(error) });
  return answer;
}

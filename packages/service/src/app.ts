/** The whole service as one function from Request to Response. */
import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { Hono, type Context } from 'hono';
import { keyRing } from './api/auth.js';
import { serveEndpoint, type Doors, type Endpoint, type Trace } from './api/endpoint.js';
import { failure, injected } from './api/envelope.js';
import { eventsEndpoint } from './api/events.js';
import { ConnectionDropped, dropConnection } from './api/faults.js';
import { hostedPages } from './api/hosted-page.js';
import { health } from './api/ops.js';
import { pageApi } from './api/page.js';
import { queryEndpoint } from './api/query.js';
import { rateLimit } from './api/rate-limit.js';
import { sdkScript } from './api/sdk-script.js';
import { sessionEndpoint } from './api/sessions.js';
import { takeClockOffset } from './clock-offset.js';
import type { Deps } from './deps.js';
import { ServiceError } from './domain/error.js';
import { describeError } from './log.js';

export interface App {
  /** `env` is what the server adapter hands over; without it the app runs inside the caller's process. */
  fetch(request: Request, env?: unknown): Promise<Response>;
}

type Variables = { requestId: string; trace: Trace };
type AppContext = Context<{ Variables: Variables }>;

/**
 * Builds the service from what it acts through.
 *
 * @example
 * const app = createApp(deps);
 * const response = await app.fetch(new Request('http://service.test/healthz'));
 */
export function createApp(deps: Deps): App {
  const app = new Hono<{ Variables: Variables }>();
  const doors: Doors = {
    keys: keyRing(deps.config, deps.store),
    rates: rateLimit(deps.config.rateLimit, () => performance.now()),
    running: new Set(),
  };

  app.use(async (c, next) => {
    const startedAt = performance.now();
    const requestId = deps.newId('req_');
    c.set('requestId', requestId);
    c.set('trace', {});
    await next();
    c.res.headers.set('x-request-id', requestId);
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const { method, routePath: route } = c.req;
    const { status } = c.res;
    deps.metrics?.request({ route, method, status, ms });
    deps.log.info('request', { requestId, method, route, status, ms, ...c.get('trace') });
  });

  app.use(async (c, next) => {
    // Endpoints put faults where their transactions are; everything else has them around the whole request.
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
  });

  const endpoint = <T, A>(definition: Endpoint<T, A>): void => {
    app.all(definition.path, (c) => {
      if (c.req.method !== 'POST') return failure(METHOD_NOT_ALLOWED, { allow: 'POST' });
      const fault = deps.faults?.take('status', definition.path);
      if (fault?.status !== undefined) return injected(fault.status);
      return serveEndpoint(deps, doors, definition, c.req.raw, c.get('trace'));
    });
  };
  if (deps.env !== 'development')
    for (const flow of Object.keys(FLOWS) as Flow[]) endpoint(sessionEndpoint(deps, flow));
  if (deps.env !== 'development') endpoint(queryEndpoint);
  endpoint(eventsEndpoint(deps));

  if (deps.env !== 'development') {
    const { env } = deps;
    app.use('/s/*', async (_, next) => {
      await takeClockOffset(deps);
      await next();
    });
    app.route('/', pageApi(deps));
    app.route('/', sdkScript(deps));
    app.route(
      '/',
      hostedPages({
        environment: env,
        find: async (id) => {
          const session = await deps.store.transaction((tx) => tx.sessions.get(id));
          const unit = deps.config.businessUnits.find(({ slug }) => slug === session?.businessUnit);
          return session && unit ? { flow: session.flow, business: unit } : null;
        },
        anyAllowedOrigins: () => [
          ...new Set(deps.config.businessUnits.flatMap((unit) => unit.allowedOrigins)),
        ],
      }),
    );
  }

  app.route('/', health(deps));
  const document = JSON.stringify(openapi({ servers: [{ url: deps.publicUrl }] }));
  app.get('/openapi.json', (c) => c.body(document, 200, { 'content-type': 'application/json' }));

  app.notFound(() =>
    failure(new ServiceError('not_found', 'There is nothing at this address: check the path.')),
  );
  app.onError((error, c: AppContext) => answerError(deps, error, c));

  return { fetch: async (request, env) => app.fetch(request, env) };
}

const METHOD_NOT_ALLOWED = new ServiceError('method_not_allowed', 'This endpoint takes POST only.');

function answerError(deps: Deps, error: unknown, c: AppContext): Response {
  if (error instanceof ConnectionDropped) {
    if (c.env === undefined) throw error;
    dropConnection(c.env);
    return new Response(null, { status: 499 });
  }
  if (!(error instanceof ServiceError))
    deps.log.error('a request failed', { requestId: c.get('requestId'), error: describeError(error) });
  return failure(error);
}

/** The whole service as one function from Request to Response. */
import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { Hono, type Handler } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { errorResponse, faulty, observed, type RequestContext } from './platform/http/around.js';
import { inboxRoutes } from './inbox/routes.js';
import { keyRing } from './platform/keys/api-keys.js';
import { chargeEndpoint } from './autopay/routes.js';
import { cancelPaymentEndpoint } from './schedules/routes.js';
import { listEndpoint } from './payments/routes.js';
import { refundEndpoint } from './refunds/routes.js';
import { cancelEndpoint } from './sessions/cancel.js';
import { serveEndpoint, type ApiState, type Endpoint } from './api/endpoint.js';
import { failure, injected, notFoundResponse } from './platform/http/envelope.js';
import { eventsEndpoint } from './events/routes.js';
import { addressOf, GuessLimits } from './platform/http/buckets.js';
import { readAssets } from './hosted-pages/hosted-assets.js';
import { testChallenge } from './hosted-pages/test-challenge.js';
import { returnUrlOf } from './payments/challenge.js';
import { hostedPages, type FoundSession } from './hosted-pages/hosted-page.js';
import { health } from './platform/http/ops.js';
import { pageApi } from './hosted-pages/api/routes.js';
import { unsubscribeRoutes } from './hosted-pages/unsubscribe.js';
import { builtFolder } from './platform/built.js';
import { limited } from './platform/timeouts.js';
import { RateLimit } from './api/rate-limit.js';
import { Turns } from './platform/turns.js';
import { sdkScript } from './hosted-pages/sdk-script.js';
import { sessionEndpoint, queryEndpoint } from './sessions/routes.js';
import { addToLog } from './platform/context.js';
import { syncClockIn } from './platform/clock.js';
import type { Deps } from './deps.js';
import type { SessionEnvironment } from './shared/environment.js';
import { unitOf } from './platform/config/config.js';
import { ServiceError } from './core/error.js';

export interface App {
  /** `env` has the server adapter's bindings. If missing, the app runs in the caller's process. */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
}

/** @param pages folder of the built pages, read on the first request for a page */
export function createApp(deps: Deps, pages: string = builtFolder('pages')): App {
  // The default router would silently slow down every request if a path is unsupported.
  const app = new Hono<RequestContext>({ router: new RegExpRouter() });
  const guessLimits = new GuessLimits();
  const turns = new Turns();

  app.use(observed(deps));
  app.route('/', apiRoutes(deps, guessLimits, turns));
  app.use(faulty(deps));
  if (deps.env !== 'development') {
    app.route('/', processorRoutes(deps));
    app.route('/', payerRoutes(deps, deps.env, guessLimits, turns, pages));
  }
  app.route('/', health(deps));
  app.get('/openapi.json', openapiDocument(deps));
  app.notFound((c) => notFoundResponse(app, c));
  app.onError((error, c) => errorResponse(deps, error, c));

  deps.metrics?.routes(
    app.routes
      .filter(({ path, method }) => !(method === 'ALL' && path.endsWith('*')))
      .map(({ path, method }) => ({ route: path, method: method === 'ALL' ? 'POST' : method })),
  );
  return { fetch: async (request, env) => await app.fetch(request, env) };
}

/** The merchant API. In development, only the Events API. */
function apiRoutes(deps: Deps, guessLimits: GuessLimits, turns: Turns): Hono<RequestContext> {
  const routes = new Hono<RequestContext>();
  const state: ApiState = {
    authenticate: keyRing(deps.config, deps.store),
    rates: new RateLimit(deps.config),
    guessLimits,
    running: new Set(),
    turns,
  };

  const serve = <T, A>(endpoint: Endpoint<T, A>): void => {
    routes.all(endpoint.path, async (c) => {
      if (c.req.method !== 'POST') return failure(METHOD_NOT_ALLOWED, { allow: 'POST' });

      const fault = deps.faults?.take('status', endpoint.path);
      if (fault?.status !== undefined) return injected(fault.status);

      const answer = await serveEndpoint(deps, state, endpoint, c.req.raw, () => addressOf(c.env));
      c.set('whole', answer);
      return answer;
    });
  };

  serve(eventsEndpoint(deps));
  if (deps.env === 'development') return routes;

  for (const flow of Object.keys(FLOWS) as Flow[]) serve(sessionEndpoint(deps, flow));
  serve(queryEndpoint);
  serve(refundEndpoint(deps));
  serve(listEndpoint);
  serve(cancelEndpoint(deps));
  serve(chargeEndpoint(deps));
  serve(cancelPaymentEndpoint(deps));
  return routes;
}

const METHOD_NOT_ALLOWED = new ServiceError('method_not_allowed', 'This endpoint accepts only POST.');

function processorRoutes(deps: Deps): Hono<RequestContext> {
  const { processor, testLedger: ledger } = deps;
  const routes = new Hono<RequestContext>();
  const receive = processor?.receive?.bind(processor);
  if (receive) routes.route('/', inboxRoutes(deps, receive));
  if (ledger) routes.route('/', testChallenge({ ledger, returnUrl: (id) => challengeReturnUrl(deps, id) }));
  return routes;
}

async function challengeReturnUrl({ store, publicUrl }: Deps, attemptId: string): Promise<string | null> {
  const attempt = await store.read((tx) => tx.attempts.get(attemptId));
  if (!attempt) return null;

  addToLog({ sessionId: attempt.sessionId, paymentId: attempt.id });
  return returnUrlOf(publicUrl, attempt.sessionId);
}

function payerRoutes(
  deps: Deps,
  environment: SessionEnvironment,
  guessLimits: GuessLimits,
  turns: Turns,
  pages: string,
): Hono<RequestContext> {
  const routes = new Hono<RequestContext>();
  const assets = once(() => readAssets(pages));
  routes.route('/', pageApi(deps, guessLimits, turns));
  routes.route('/', sdkScript(deps));
  routes.route(
    '/',
    hostedPages({
      environment,
      testMode: deps.testMode,
      assets,
      frameOrigins: deps.processor?.frameOrigins,
      // The config may be reloaded.
      get operator() {
        return deps.config.operator?.name;
      },
      find: (id) => findSession(deps, id),
    }),
  );
  routes.route('/', unsubscribeRoutes(deps, assets));
  return routes;
}

async function findSession(service: Deps, id: string): Promise<FoundSession | null> {
  const deps = limited(service);
  const [session] = await deps.store.read((tx) => Promise.all([tx.sessions.head(id), syncClockIn(tx, deps)]));
  if (!session) return null;

  addToLog({ sessionId: id, businessUnit: session.businessUnit });
  const business = unitOf(deps.config, session.businessUnit);
  return business ? { flow: session.flow, business } : null;
}

/** Built on first use, because that takes longer than the rest of the start. */
function openapiDocument({ publicUrl }: Deps): Handler {
  const document = once(() => JSON.stringify(openapi({ servers: [{ url: publicUrl }] })));
  return (c) => c.body(document(), 200, { 'content-type': 'application/json' });
}

function once<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

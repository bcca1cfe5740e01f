/** The whole service as one function from Request to Response. */
import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { answerError, faulty, observed, type RequestContext } from './platform/http/around.js';
import { inboxRoutes } from './inbox/routes.js';
import { keyRing } from './platform/keys/api-keys.js';
import { cancelPaymentEndpoint, chargeEndpoint } from './autopay/routes.js';
import { listEndpoint } from './payments/routes.js';
import { refundEndpoint } from './refunds/routes.js';
import { cancelEndpoint } from './sessions/cancel-route.js';
import { serveEndpoint, type ApiState, type Endpoint } from './api/endpoint.js';
import { failure, injected } from './platform/http/envelope.js';
import { eventsEndpoint } from './events/routes.js';
import { addressOf, createGuessLimits } from './platform/http/guess-limits.js';
import { builtPages, readAssets, type HostedAssets } from './hosted-pages/hosted-assets.js';
import { testChallenge } from './hosted-pages/test-challenge.js';
import { returnUrlOf } from './payments/challenge.js';
import { unsubscribeRoutes } from './messages/unsubscribe.js';
import { hostedPages } from './hosted-pages/hosted-page.js';
import { nothingHere } from './platform/http/nothing-here.js';
import { health } from './platform/http/ops.js';
import { pageApi } from './hosted-pages/api/routes.js';
import { timeLimitedStore, requestTimeLimit } from './platform/time-limit.js';
import { queryEndpoint } from './sessions/query.js';
import { rateLimit } from './api/rate-limit.js';
import { sdkScript } from './hosted-pages/sdk-script.js';
import { sessionEndpoint } from './sessions/routes.js';
import { addToLog } from './platform/context.js';
import { takeOffsetIn } from './platform/clock-offset.js';
import type { Deps } from './deps.js';
import { unitOf } from './platform/config/config.js';
import { ServiceError } from './core/error.js';

export interface App {
  /** `env` holds the server adapter's bindings; without it the app runs in the caller's process. */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
}

/**
 * Builds the service from its dependencies.
 *
 * @param pages folder of the built pages, read on the first request for a page
 * @example
 * const app = createApp(deps);
 * const response = await app.fetch(new Request('http://service.test/healthz'));
 */
export function createApp(deps: Deps, pages: string = builtPages()): App {
  // Set explicitly: with the default router, an unsupported path would silently slow down every request.
  const app = new Hono<RequestContext>({ router: new RegExpRouter() });
  const state: ApiState = {
    keys: keyRing(deps.config, deps.store),
    rates: rateLimit(deps.config, () => performance.now()),
    guesses: createGuessLimits(() => performance.now()),
    running: new Set(),
  };

  app.use(observed(deps));

  const endpoint = <T, A>(definition: Endpoint<T, A>): void => {
    app.all(definition.path, async (c) => {
      if (c.req.method !== 'POST') return failure(METHOD_NOT_ALLOWED, { allow: 'POST' });
      const fault = deps.faults?.take('status', definition.path);
      if (fault?.status !== undefined) return injected(fault.status);
      const answer = await serveEndpoint(deps, state, definition, c.req.raw, () => addressOf(c.env));
      c.set('whole', answer);
      return answer;
    });
  };
  if (deps.env !== 'development')
    for (const flow of Object.keys(FLOWS) as Flow[]) endpoint(sessionEndpoint(deps, flow));
  if (deps.env !== 'development') {
    endpoint(queryEndpoint);
    endpoint(refundEndpoint(deps));
    endpoint(listEndpoint);
    endpoint(cancelEndpoint(deps));
    endpoint(chargeEndpoint(deps));
    endpoint(cancelPaymentEndpoint);
  }
  endpoint(eventsEndpoint(deps));

  app.use(faulty(deps));

  if (deps.env !== 'development') {
    const { env } = deps;
    let read: HostedAssets | undefined;
    const assets = (): HostedAssets => (read ??= readAssets(pages));
    app.route('/', pageApi(deps, state.guesses));
    const receive = deps.processor?.receive?.bind(deps.processor);
    if (receive) app.route('/', inboxRoutes(deps, receive));
    app.route('/', sdkScript(deps));
    if (deps.testLedger)
      app.route(
        '/',
        testChallenge({
          ledger: deps.testLedger,
          returnUrl: async (attemptId) => {
            const attempt = await deps.store.read((tx) => tx.attempts.get(attemptId));
            if (attempt) addToLog({ sessionId: attempt.sessionId, paymentId: attempt.id });
            return attempt && returnUrlOf(deps.publicUrl, attempt.sessionId);
          },
        }),
      );
    app.route(
      '/',
      hostedPages({
        environment: env,
        testMode: deps.testMode,
        assets,
        frameOrigins: deps.processor?.frameOrigins,
        find: async (id) => {
          const store = timeLimitedStore(deps.store, requestTimeLimit());
          const [session] = await store.read((tx) =>
            Promise.all([tx.sessions.get(id), takeOffsetIn(tx, deps)]),
          );
          const unit = unitOf(deps.config, session?.businessUnit);
          if (session) addToLog({ sessionId: session.id, businessUnit: session.businessUnit });
          return session && unit ? { flow: session.flow, business: unit } : null;
        },
      }),
    );
  }

  if (deps.env !== 'development') app.route('/', unsubscribeRoutes(deps));
  app.route('/', health(deps));
  // Built on first use, because it takes longer than the rest of the start.
  let document: string | undefined;
  app.get('/openapi.json', (c) => {
    document ??= JSON.stringify(openapi({ servers: [{ url: deps.publicUrl }] }));
    return c.body(document, 200, { 'content-type': 'application/json' });
  });

  deps.metrics?.routes(
    app.routes
      .filter(({ path, method }) => !(method === 'ALL' && path.endsWith('*')))
      .map(({ path, method }) => ({ route: path, method: method === 'ALL' ? 'POST' : method })),
  );

  app.notFound((c) => nothingHere(app, c));
  app.onError((error, c) => answerError(deps, error, c));

  return { fetch: async (request, env) => await app.fetch(request, env) };
}

const METHOD_NOT_ALLOWED = new ServiceError('method_not_allowed', 'This endpoint takes POST only.');

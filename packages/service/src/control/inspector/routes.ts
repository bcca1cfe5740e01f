/** Lets a developer inspect and drive a running service: on a loopback port, with a token. */
import type { Hono, MiddlewareHandler } from 'hono';
import type { Deps } from '../../deps.js';
import { defined } from '../../core/defined.js';
import { LANGUAGES } from '../../shared/languages.js';
import { LOCALES } from '../../texts/texts.js';
import type { About, RequestLine } from '../../shared/inspector.js';
import { readFields } from '../input.js';
import { isSameSecret } from '../../platform/keys/session-keys.js';
import { clockAndFaults, localApp } from '../routes.js';
import { callApi, formsOf, TEST_SOURCES, type InspectorParts } from './calls.js';
import { eventsResponse } from './event-stream.js';
import type { RecordedRequest } from './journal.js';
import { idOf, ID, MISSING, orMissing } from './lists.js';
import { mailFrames, mailRoutes } from './mail.js';
import { inspectorPage } from './page.js';
import { recordOf } from './requests.js';
import { sessionRoutes } from './sessions.js';
import { webhookRoutes } from './webhooks.js';

/** Accepts webhooks and drops them, for a business unit without a merchant backend. */
export const WEBHOOK_SINK = '/caught';

export function inspectorApp(parts: InspectorParts): Hono {
  const { deps, control, faults, journal, token } = parts;
  const app = localApp(deps.log, MISSING);
  mailFrames(app, parts);
  app.use(pageOrToken(token));

  app.get('/about', (c) => c.json(aboutOf(deps)));
  app.get('/events', (c) => eventsResponse(c, journal));
  app.get('/requests', (c) => c.json(journal.requests().map(lineOf)));
  app.get(`/requests/${ID}`, (c) => {
    const found = journal.request(idOf(c));
    return orMissing(c, found && recordOf(found, deps.publicUrl));
  });
  sessionRoutes(app, parts);
  webhookRoutes(app, parts);
  mailRoutes(app, parts);
  clockAndFaults(app, deps, control, faults);
  app.get('/try', (c) => c.json(formsOf(deps.env)));
  app.post('/try', async (c) => {
    const { path, body } = await readFields(c);
    const form = formsOf(deps.env).find((form) => form.path === path);
    if (!form) return c.json({ error: 'path must be an endpoint of the API.' }, 400);
    return c.json(await callApi(parts, form.path, body));
  });
  return app;
}

/** Serves the page to anyone on this machine, but everything else requires the token. */
function pageOrToken(token: string): MiddlewareHandler {
  const page = inspectorPage();
  return async (c, next) => {
    if (c.req.method === 'POST' && c.req.path === WEBHOOK_SINK) return c.body(null, 204);

    const shown = c.req.method === 'GET' ? page(c.req.raw) : null;
    if (shown) return shown;

    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== new URL(c.req.url).origin)
      return c.json({ error: 'Only the inspector’s own page may send this request.' }, 403);
    if (!isSameSecret(c.req.header('authorization') ?? '', `Bearer ${token}`))
      return c.json({ error: 'Send the inspector’s token as Authorization: Bearer.' }, 401);

    c.header('cache-control', 'no-store');
    return next();
  };
}

function aboutOf({ env, publicUrl, config }: Deps): About {
  return {
    environment: env,
    url: publicUrl,
    businessUnits: config.businessUnits.map(({ slug, name }) => ({ slug, name })),
    languages: LANGUAGES.map((language) => ({ language, reviewedBy: LOCALES[language].reviewedBy })),
    testSources: TEST_SOURCES,
  };
}

function lineOf({ id, at, clock, method, path, codes, ...rest }: RecordedRequest): RequestLine {
  const { status, ms, businessUnit, sessionId } = rest;
  return { id, at, clock, method, path, codes, ...defined({ status, ms, businessUnit, sessionId }) };
}

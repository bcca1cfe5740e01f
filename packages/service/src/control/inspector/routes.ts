/** Lets a developer inspect and drive a running service: on a loopback port, with a token. */
import { createHmac } from 'node:crypto';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import type { Deps } from '../../deps.js';
import { defined } from '../../core/defined.js';
import { LANGUAGES } from '../../shared/languages.js';
import { LOCALES } from '../../texts/texts.js';
import type {
  About,
  FaultView,
  Json,
  MailRecord,
  PaySource,
  RequestLine,
  TestSource,
} from '../../shared/inspector.js';
import type { Control } from '../control.js';
import { parseFault, parseDuration, readFields } from '../input.js';
import type { Faults } from '../../platform/faults.js';
import { isSameSecret } from '../../platform/keys/session-keys.js';
import { localApp } from '../routes.js';
import { Actions, formsOf, TEST_SOURCES } from './actions.js';
import { eventsResponse } from './event-stream.js';
import type { Fetch } from '../pay.js';
import type { Journal, RecordedRequest } from './journal.js';
import { inspectorPage } from './page.js';
import type { Redaction } from './redaction.js';
import { recordOf } from './requests.js';
import { Views } from './views.js';

/** Accepts webhooks and drops them, for a business unit without a merchant backend. */
export const WEBHOOK_SINK = '/caught';

export interface InspectorParts {
  readonly deps: Deps;
  readonly control: Control;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly fetch: Fetch;
  readonly apiKey: string;
  readonly token: string;
}

/** Valid record ids. Others are never looked up. */
const ID = ':id{[\\w-]{1,100}}';
/** Messages run no scripts and load only images. Links open in a new tab. */
const MAIL_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https:; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'cache-control': 'no-store',
};

export function inspectorApp({ deps, control, faults, journal, fetch, apiKey, token }: InspectorParts): Hono {
  const { redact } = journal;
  const app = localApp({ log: deps.log, field: 'message', notFound: MISSING, internalError: redact.text });
  const views = new Views(deps, journal);
  const actions = new Actions({ deps, control, fetch, apiKey, redact });

  mailFrames(app, views, token);
  app.use(pageOrToken(token));

  app.get('/about', (c) => c.json(aboutOf(deps)));
  app.get('/events', (c) => eventsResponse(c, journal));
  requestRoutes(app, deps, journal);
  sessionRoutes(app, views, actions);
  webhookRoutes(app, views, actions);
  mailRoutes(app, views, token);
  clockRoutes(app, deps, control, views);
  faultRoutes(app, control, faults, redact);
  tryRoutes(app, deps, actions);
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
      return c.json({ message: 'Only the inspector’s own page may send this request.' }, 403);
    if (!isSameSecret(c.req.header('authorization') ?? '', `Bearer ${token}`))
      return c.json({ message: 'Send the inspector’s token as Authorization: Bearer.' }, 401);

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
    testCards: testSources('Credit Card'),
    testAccounts: testSources('ACH'),
  };
}

function requestRoutes(app: Hono, deps: Deps, journal: Journal): void {
  app.get('/requests', (c) => c.json(journal.requests().map(lineOf)));
  app.get(`/requests/${ID}`, (c) => {
    const found = journal.request(c.req.param('id'));
    return orMissing(c, found && recordOf(found, deps.publicUrl));
  });
}

function sessionRoutes(app: Hono, views: Views, actions: Actions): void {
  app.get('/sessions', async (c) => c.json(await views.sessions()));
  app.get(`/sessions/${ID}`, async (c) => orMissing(c, await views.session(c.req.param('id'))));
  app.post(`/sessions/${ID}/cancel`, async (c) => c.json(await actions.cancel(c.req.param('id'))));
  app.post(`/sessions/${ID}/expire`, async (c) => c.json(await actions.expire(c.req.param('id'))));
  app.post(`/sessions/${ID}/open`, async (c) => {
    const url = await actions.address(c.req.param('id'));
    return url === null ? missing(c) : c.json({ url });
  });
  app.post(`/sessions/${ID}/pay`, async (c) => {
    const { number, last4, method: requested } = await readFields(c);
    const method = requested === 'ACH' ? 'ACH' : 'Credit Card';
    const known = TEST_SOURCES[method].find((source) => source.number === number || source.last4 === last4);
    if (!known)
      return c.json({ message: 'last4 must belong to a test card or account of this method.' }, 400);
    return c.json(await actions.pay(c.req.param('id'), method, known.number));
  });
  app.post(`/sessions/${ID}/refund`, async (c) => {
    const { paymentId, amount } = await readFields(c);
    if (typeof paymentId !== 'string') return c.json({ message: 'paymentId must be a payment.' }, 400);
    return c.json(
      await actions.refund(c.req.param('id'), paymentId, typeof amount === 'number' ? amount : undefined),
    );
  });
}

function webhookRoutes(app: Hono, views: Views, actions: Actions): void {
  app.get('/webhooks', async (c) => c.json(await views.webhooks()));
  app.post('/webhooks/enable', async (c) =>
    c.json(await actions.enable(String((await readFields(c))['businessUnit']))),
  );
  app.get(`/webhooks/${ID}`, async (c) => orMissing(c, await views.webhook(c.req.param('id'))));
  app.post(`/webhooks/${ID}/sent`, async (c) => orMissing(c, await views.sent(c.req.param('id'))));
  app.post(`/webhooks/${ID}/resend`, async (c) => c.json(await actions.resend(c.req.param('id'))));
}

/** A frame sends no token, so a message's address contains a key for only this message. */
function mailKey(token: string, id: string): string {
  return createHmac('sha256', token).update(`mail ${id}`).digest('base64url');
}

function mailFrames(app: Hono, views: Views, token: string): void {
  app.get(`/mail/${ID}/html`, async (c) => {
    const id = c.req.param('id');
    const isAllowed = isSameSecret(c.req.query('key') ?? '', mailKey(token, id));
    const found = isAllowed ? await views.mailOf(id) : null;
    if (!found) return missing(c);

    const html = found.rendered.html.replace('<head>', '<head><base target="_blank">');
    return c.html(html, 200, MAIL_HEADERS);
  });
}

function mailRoutes(app: Hono, views: Views, token: string): void {
  app.get('/mail', async (c) => c.json(await views.mail()));
  app.get(`/mail/${ID}`, async (c) => {
    const found = await views.mailOf(c.req.param('id'));
    if (!found) return missing(c);

    const { line, language, unsentReason, rendered } = found;
    const record = { ...line, language, ...defined({ unsentReason }) };
    const html = `/mail/${line.id}/html?key=${mailKey(token, line.id)}`;
    return c.json<MailRecord>(
      line.channel === 'email' ? { ...record, text: rendered.text, html } : { ...record, text: rendered.sms },
    );
  });
}

function clockRoutes(app: Hono, { clock }: Deps, control: Control, views: Views): void {
  app.get('/clock', (c) => c.json(views.clock()));
  app.post('/clock', async (c) => {
    const body = await readFields(c);
    const move = requestedMove(body, clock.now(), clock.offset);
    if (typeof move === 'string') return c.json({ message: move }, 400);

    await control.advance(move);
    return c.json(views.clock());
  });
}

function faultRoutes(app: Hono, control: Control, faults: Faults, redact: Redaction): void {
  app.get('/faults', (c) => c.json(faultViews(faults, redact)));
  app.post('/faults', async (c) => {
    const fault = parseFault(await readFields(c));
    if ('problem' in fault) return c.json({ message: fault.problem }, 400);
    control.fault(fault);
    return c.json(faultViews(faults, redact));
  });
  app.delete('/faults', (c) => {
    faults.clear();
    return c.json(faultViews(faults, redact));
  });
}

function tryRoutes(app: Hono, { env }: Deps, actions: Actions): void {
  app.get('/try', (c) => c.json(formsOf(env)));
  app.post('/try', async (c) => {
    const { path, body, idempotencyKey } = await readFields(c);
    if (typeof path !== 'string' || !formsOf(env).some((form) => form.path === path))
      return c.json({ message: 'path must be an endpoint of the API.' }, 400);
    return c.json(
      await actions.send(path, body as Json, typeof idempotencyKey === 'string' ? idempotencyKey : undefined),
    );
  });
}

function lineOf({ id, at, clock, method, path, codes, ...rest }: RecordedRequest): RequestLine {
  const { status, ms, businessUnit, sessionId } = rest;
  return { id, at, clock, method, path, codes, ...defined({ status, ms, businessUnit, sessionId }) };
}

const testSources = (method: PaySource['method']): TestSource[] =>
  TEST_SOURCES[method].map(({ last4, does }) => ({ last4, does }));

const MISSING = 'Not found, or no longer stored.';

function missing(c: Context): Response {
  return c.json({ message: MISSING }, 404);
}

function orMissing(c: Context, found: object | null | undefined): Response {
  return found ? c.json(found) : missing(c);
}

function faultViews(faults: Faults, { text }: Redaction): FaultView[] {
  return faults.waiting.map(({ times: left, path, ...fault }) =>
    defined({ ...fault, path: path && text(path), left }),
  );
}

/** The requested clock move, ms, or why it is refused. */
function requestedMove(body: Record<string, unknown>, now: number, offset: number): number | string {
  if (body['reset'] === true) return -offset;

  const { to, advance } = body;
  const ms = typeof to === 'string' ? Date.parse(to) - now : parseDuration(advance);
  if (ms === null || Number.isNaN(ms)) return 'Send advance ("31m"), to (a future instant) or reset.';
  return ms < 0
    ? 'That is before the service’s time, which only moves forward. Use reset to return to real time.'
    : ms;
}

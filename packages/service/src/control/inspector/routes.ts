/**
 * The inspector shows what a running service does and lets a developer drive it. It listens on its own loopback
 * port, requires its token, and exists outside production only.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Deps } from '../../deps.js';
import { ServiceError } from '../../core/error.js';
import { guard } from '../../platform/http/guarded.js';
import { describeError } from '../../platform/log/log.js';
import { otherMethods } from '../../platform/http/methods.js';
import { CAUGHT_UP } from '../../shared/inspector.js';
import type {
  About,
  FaultView,
  InspectorEvent,
  Json,
  MailRecord,
  PaySource,
  RequestLine,
  TestSource,
} from '../../shared/inspector.js';
import type { Control } from '../control.js';
import { parseDuration } from '../duration.js';
import { parseFault, type FaultList } from '../fault-list.js';
import { isLoopback } from '../loopback.js';
import { readJson } from '../read-json.js';
import { createActions, TEST_SOURCES } from './actions.js';
import type { Fetch } from '../pay.js';
import type { Journal, Kept } from './journal.js';
import { inspectorPage } from './page.js';
import type { Redaction } from './redaction.js';
import { recordOf } from './requests.js';
import { createViews } from './views.js';

/** Accepts webhooks and drops them, for a business unit without a merchant backend. */
export const CAUGHT = '/caught';

export interface InspectorParts {
  readonly deps: Deps;
  readonly control: Control;
  readonly faults: FaultList;
  readonly journal: Journal;
  /** Sends a request to the service. */
  readonly fetch: Fetch;
  /** The inspector's own API key. */
  readonly apiKey: string;
  /** The token that opens the inspector. */
  readonly token: string;
}

/** The form of a record id. Anything else needs no query. */
const ID = ':id{[\\w-]{1,100}}';
/** A message runs nothing and loads only images. Its links open in a new tab. */
const MAIL_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https:; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'cache-control': 'no-store',
};
/** Events sent in one chunk. */
const BATCH = 500;
/** How often an idle stream sends a comment to stay open, real ms. */
const SIGN_OF_LIFE_MS = 15_000;

export function inspectorApp({ deps, control, faults, journal, fetch, apiKey, token }: InspectorParts): Hono {
  const app = new Hono();
  const views = createViews(deps, journal);
  const actions = createActions(deps, control, fetch, apiKey, journal.redact);
  const page = inspectorPage();

  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.use(async (c, next) => {
    if (!isLoopback(c.req.raw.headers.get('host')))
      return c.json({ message: 'Call it by a loopback address.' }, 403);
    return next();
  });

  // A frame sends no token, so the address of a message contains a key for this message alone.
  const mailKey = (id: string): string =>
    createHmac('sha256', token).update(`mail ${id}`).digest('base64url');
  app.get(`/mail/${ID}/html`, async (c) => {
    const id = c.req.param('id');
    const found = isSame(c.req.query('key') ?? '', mailKey(id)) ? await views.mailOf(id) : null;
    if (!found) return missing(c);
    return c.html(found.rendered.html.replace('<head>', '<head><base target="_blank">'), 200, MAIL_HEADERS);
  });

  app.use(async (c, next) => {
    if (c.req.method === 'POST' && c.req.path === CAUGHT) return c.body(null, 204);

    const shown = c.req.method === 'GET' ? page.answer(c.req.raw) : null;
    if (shown) return shown;

    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== new URL(c.req.url).origin)
      return c.json({ message: 'Another page asked.' }, 403);
    if (!isSame(c.req.header('authorization') ?? '', `Bearer ${token}`))
      return c.json({ message: 'Send the token of its address as Authorization: Bearer.' }, 401);

    c.header('cache-control', 'no-store');
    return next();
  });

  app.get('/about', (c) =>
    c.json<About>({
      environment: deps.env,
      url: deps.publicUrl,
      businessUnits: deps.config.businessUnits.map(({ slug, name }) => ({ slug, name })),
      testCards: testSources('Credit Card'),
      testAccounts: testSources('ACH'),
    }),
  );

  app.get('/events', (c) => {
    const wanted = filterOf(c);
    const given = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? 0);
    const last = Number.isFinite(given) ? given : 0;
    const isGone = last > 0 && journal.isGone(last);
    const from = isGone ? 0 : last;
    if (!(c.req.header('accept') ?? '').includes('text/event-stream'))
      return c.json(journal.events(from).filter(wanted));

    // The body of a HEAD request would never be read nor canceled.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
    return streamSSE(c, async (stream) => {
      if (journal.hasEnded()) return;

      // A position in the ring buffer instead of a queue, so a page that stops reading costs nothing.
      let place = from;
      let isBehind = isGone;
      let wake: (() => void) | undefined;
      const life = setInterval(() => void stream.write(':\n\n'), SIGN_OF_LIFE_MS);
      const leave = (): void => {
        stop();
        clearInterval(life);
        wake?.();
      };
      // A write may never be read. It must not keep the stream open when the journal ends.
      const stop = journal.follow(() => (journal.hasEnded() ? leave() : wake?.()));
      stream.onAbort(leave);
      let isTold = false;
      while (!stream.aborted && !journal.hasEnded()) {
        isBehind ||= place > 0 && journal.isGone(place);
        const batch = journal.events(isBehind && journal.isGone(place) ? 0 : place).slice(0, BATCH);
        if (isBehind) await stream.writeSSE({ event: 'missing', data: '{}' });
        isBehind = false;
        const shown = batch.filter(wanted);
        if (shown.length > 0)
          await stream.write(
            shown.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
          );
        place = batch.at(-1)?.id ?? place;
        if (journal.events(place).length > 0) continue;
        if (!isTold) {
          isTold = true;
          // Headers are sent with the first bytes, so send some even if there are no events.
          await stream.write(CAUGHT_UP);
          continue;
        }
        if (!stream.aborted && !journal.hasEnded()) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
      }
      leave();
    });
  });

  app.get('/requests', (c) => c.json(journal.requests().map(lineOf)));
  app.get(`/requests/${ID}`, (c) => {
    const found = journal.request(c.req.param('id'));
    return found ? c.json(recordOf(found, deps)) : missing(c);
  });
  app.post(`/requests/${ID}/resend`, async (c) => {
    const found = journal.request(c.req.param('id'));
    if (found?.body === undefined || !found.path.startsWith('/integrations/')) return missing(c);
    if (!found.original)
      return c.json({ message: 'A part of it was not kept, since it could be a secret.' }, 409);

    const { key } = await read(c);
    const next = found.idempotencyKey && (key === 'same' ? found.idempotencyKey : randomUUID());
    return c.json(await actions.again(found.path, found.original, next));
  });

  app.get('/sessions', async (c) => c.json(await views.sessions()));
  app.get(`/sessions/${ID}`, async (c) => {
    const found = await views.session(c.req.param('id'));
    return found ? c.json(found) : missing(c);
  });
  app.post(`/sessions/${ID}/cancel`, async (c) => c.json(await actions.cancel(c.req.param('id'))));
  app.post(`/sessions/${ID}/expire`, async (c) => c.json(await actions.expire(c.req.param('id'))));
  app.post(`/sessions/${ID}/open`, async (c) => {
    const url = await actions.address(c.req.param('id'));
    return url === null ? missing(c) : c.json({ url });
  });
  app.post(`/sessions/${ID}/pay`, async (c) => {
    const { number, last4, method: wished } = await read(c);
    const method = wished === 'ACH' ? 'ACH' : 'Credit Card';
    const known = TEST_SOURCES[method].find((source) => source.number === number || source.last4 === last4);
    if (!known) return c.json({ message: 'last4 must be of a test card or account, by its method.' }, 400);
    return c.json(await actions.pay(c.req.param('id'), method, known.number));
  });
  app.post(`/sessions/${ID}/refund`, async (c) => {
    const { paymentId, amount } = await read(c);
    if (typeof paymentId !== 'string') return c.json({ message: 'paymentId must be a payment.' }, 400);
    return c.json(
      await actions.refund(c.req.param('id'), paymentId, typeof amount === 'number' ? amount : undefined),
    );
  });

  app.get('/webhooks', async (c) => c.json(await views.webhooks()));
  app.post('/webhooks/recover', async (c) => {
    const { businessUnit, since } = await read(c);
    return c.json(await actions.recover(String(businessUnit), String(since)));
  });
  app.post('/webhooks/enable', async (c) =>
    c.json(await actions.enable(String((await read(c))['businessUnit']))),
  );
  app.get(`/webhooks/${ID}`, async (c) => {
    const found = await views.webhook(c.req.param('id'));
    return found ? c.json(found) : missing(c);
  });
  app.post(`/webhooks/${ID}/sent`, async (c) => {
    const found = await views.sent(c.req.param('id'));
    return found ? c.json({ headers: found.headers, body: found.body }) : missing(c);
  });
  app.post(`/webhooks/${ID}/curl`, async (c) => {
    const found = await views.curl(c.req.param('id'));
    if (!found) return missing(c);
    return 'problem' in found ? c.json({ message: found.problem }, 409) : c.json(found);
  });
  app.post(`/webhooks/${ID}/resend`, async (c) => c.json(await actions.resend(c.req.param('id'))));

  app.get('/mail', async (c) => c.json(await views.mail()));
  app.get(`/mail/${ID}`, async (c) => {
    const found = await views.mailOf(c.req.param('id'));
    if (!found) return missing(c);

    const { line, language, rendered } = found;
    const isMail = line.channel === 'email';
    return c.json<MailRecord>({
      ...line,
      language,
      text: isMail ? rendered.text : rendered.sms,
      ...(isMail ? { html: `/mail/${line.id}/html?key=${mailKey(line.id)}` } : {}),
    });
  });

  app.get('/clock', async (c) => c.json(await views.clock()));
  app.post('/clock', async (c) => {
    const body = await read(c);
    const ms = await wishedMove(body, deps.clock.now(), deps.clock.offset, views);
    if (ms === null)
      return c.json(
        {
          message:
            typeof body['to'] === 'string' && !Number.isNaN(Date.parse(body['to']))
              ? 'That is before the service’s time, which goes forward: reset goes back to real time.'
              : 'Give advance ("31m"), to (an instant to come), next or reset.',
        },
        400,
      );

    await control.advance(ms);
    return c.json(await views.clock());
  });

  app.get('/faults', (c) => c.json(faultViews(faults, journal.redact)));
  app.post('/faults', async (c) => {
    const fault = parseFault(await read(c));
    if ('problem' in fault) return c.json({ message: fault.problem }, 400);
    control.fault(fault);
    return c.json(faultViews(faults, journal.redact));
  });
  app.delete('/faults', (c) => {
    faults.clear();
    return c.json(faultViews(faults, journal.redact));
  });

  app.get('/try', (c) => c.json(actions.forms()));
  app.post('/try', async (c) => {
    const { path, body, idempotencyKey } = await read(c);
    if (typeof path !== 'string' || !actions.forms().some((form) => form.path === path))
      return c.json({ message: 'path must be one of the API’s.' }, 400);
    return c.json(
      await actions.send(path, body as Json, typeof idempotencyKey === 'string' ? idempotencyKey : undefined),
    );
  });

  app.notFound((c) => {
    const allow = otherMethods(app, c);
    if (allow === null) return missing(c);
    return c.json({ message: `This address takes ${allow} only.` }, 405, { allow });
  });
  app.onError((error, c) => {
    if (error instanceof ServiceError && error.code === 'body_too_large')
      return c.json({ message: error.message }, 413);
    if (error instanceof ServiceError && error.code === 'invalid')
      return c.json({ message: error.message }, 400);
    if (error instanceof ServiceError && error.code === 'unavailable')
      return c.json({ message: error.message }, 503, { 'retry-after': String(error.retryAfter) });

    deps.log.error('An inspector request failed', { error: describeError(error) });
    return c.json({ message: journal.redact.text(error.message) }, 500);
  });
  return app;
}

function lineOf({
  id,
  at,
  clock,
  method,
  path,
  status,
  ms,
  businessUnit,
  sessionId,
  codes,
}: Kept): RequestLine {
  return {
    id,
    at,
    clock,
    method,
    path,
    codes,
    ...(status === undefined ? {} : { status }),
    ...(ms === undefined ? {} : { ms }),
    ...(businessUnit === undefined ? {} : { businessUnit }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

const testSources = (method: PaySource['method']): TestSource[] =>
  TEST_SOURCES[method].map(({ last4, does }) => ({ last4, does }));

function missing(c: Context): Response {
  return c.json({ message: 'There is no such thing, or not any more.' }, 404);
}

async function read(c: Context): Promise<Record<string, unknown>> {
  return (await readJson(c.req.raw)) ?? {};
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function filterOf(c: Context): (event: InspectorEvent) => boolean {
  const { kind, businessUnit, session } = c.req.query();
  const kinds = kind?.split(',');
  return (event) =>
    (kinds === undefined || kinds.includes(event.kind)) &&
    (businessUnit === undefined || event.businessUnit === businessUnit) &&
    (session === undefined || event.sessionId === session);
}

function faultViews(faults: FaultList, { word }: Redaction): FaultView[] {
  return faults.waiting().map(({ times, path, ...fault }) => ({
    ...fault,
    ...(path === undefined ? {} : { path: word(path) }),
    left: times,
  }));
}

/** Ms to move the clock by; null if the body is invalid. */
async function wishedMove(
  body: Record<string, unknown>,
  now: number,
  offset: number,
  views: Pick<ReturnType<typeof createViews>, 'clock'>,
): Promise<number | null> {
  if (body['reset'] === true) return -offset;
  if (body['next'] === true) {
    const [next] = (await views.clock()).due.filter(({ at }) => Date.parse(at) > now);
    return next ? Date.parse(next.at) - now : 0;
  }
  if (typeof body['to'] === 'string') {
    const to = Date.parse(body['to']);
    return Number.isNaN(to) || to < now ? null : to - now;
  }
  return parseDuration(body['advance']);
}

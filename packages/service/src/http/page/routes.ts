/**
 * `/s/{id}/api/*`, as typed in `wire/page.ts`: what hosted pages say to their service. A request carries the
 * session's secret, comes from the service's own pages or from no page at all, and its body is never logged.
 */
import { Hono } from 'hono';
import type { BusinessUnit } from '../../runtime/config.js';
import type { Deps } from '../../deps.js';
import { statusAt } from '../../domain/session.js';
import type {
  AccountFlow,
  AccountSession,
  CustomerSession,
  PaymentSession,
  Session,
} from '../../domain/session.js';
import { isRecord } from '../../domain/source.js';
import { describeError } from '../../runtime/log.js';
import { done, refuse } from './answer.js';
import * as manage from './manage.js';
import { attemptStatus, isId, pay } from './pay.js';
import { pageSession } from './session.js';

/** More than any form of ours sends. */
const MOST_BYTES = 64 * 1024;

interface Request {
  session: Session;
  business: BusinessUnit;
  body: Record<string, unknown>;
  param: (name: string) => string;
}
type Handler = (request: Request) => Promise<Response>;

/** @example app.route('/', pageApi(deps)); */
export function pageApi(deps: Deps): Hono {
  const routes = new Hono();
  const own = new URL(deps.publicUrl).origin;

  const serve = (method: 'GET' | 'POST', path: string, handler: Handler, lateToo = false): void => {
    routes.on(method, `/s/:id/api/${path}`, async (c) => {
      try {
        const foreign = refuseForeign(c.req.raw, own);
        if (foreign) return foreign;
        const session = await authenticate(deps, c.req.param('id') ?? '', c.req.header('authorization'));
        const business = deps.config.businessUnits.find(({ slug }) => slug === session?.businessUnit);
        if (!session || !business) return refuse('unauthorized', UNAUTHORIZED);
        if (!lateToo && isOver(session, deps.clock.now())) return refuse('expired', EXPIRED);
        const body = method === 'GET' ? {} : await readBody(c.req.raw);
        if (body instanceof Response) return body;
        return await handler({ session, business, body, param: (name) => idOf(c.req.param(name)) });
      } catch (error) {
        deps.log.error('A page request failed', { route: `/s/:id/api/${path}`, error: describeError(error) });
        return refuse('internal', 'Something went wrong here. Try again.');
      }
    });
  };

  serve('GET', 'session', ({ session, business }) =>
    deps.store.transaction(async (tx) => done(await pageSession(tx, deps, session, business))),
  );
  serve(
    'POST',
    'pay',
    ofPayment((session, { business, body }) => pay(deps, session, business, body)),
    true,
  );
  serve(
    'GET',
    'attempts/:attemptId',
    ofPayment((session, { param }) => attemptStatus(deps, session, param('attemptId'))),
    true,
  );
  serve(
    'POST',
    'methods',
    ofManagement((session, { business, body }) => manage.addSavedMethod(deps, session, business, body)),
  );
  serve(
    'POST',
    'methods/:methodId/default',
    ofManagement((session, { param }) => manage.setDefaultMethod(deps, session, param('methodId'))),
  );
  serve(
    'POST',
    'methods/:methodId/remove',
    ofManagement((session, { param }) => manage.removeSavedMethod(deps, session, param('methodId'))),
  );
  serve(
    'POST',
    'autopay/enroll',
    ofAccount('autopay', (session, { business, body }) =>
      manage.setAutopay(deps, session, business, body, 'enroll'),
    ),
  );
  serve(
    'POST',
    'autopay/method',
    ofAccount('autopay', (session, { business, body }) =>
      manage.setAutopay(deps, session, business, body, 'method'),
    ),
  );
  serve(
    'POST',
    'autopay/unenroll',
    ofAccount('autopay', (session) => manage.endAutopay(deps, session)),
  );
  serve(
    'POST',
    'paperless',
    ofAccount('paperless', (session, { body }) => manage.choosePaperless(deps, session, body)),
  );
  serve(
    'POST',
    'schedule',
    ofAccount('schedule-payment', (session, { business, body }) =>
      manage.schedule(deps, session, business, body),
    ),
  );
  serve(
    'POST',
    'scheduled/:scheduledId/cancel',
    ofAccount('scheduled-payments', (session, { param }) =>
      manage.cancel(deps, session, param('scheduledId')),
    ),
  );
  serve('POST', 'notifications', async ({ session, body }) =>
    session.flow === 'notifications' ? manage.chooseNotifications(deps, session, body) : otherFlow(),
  );
  serve(
    'POST',
    'done',
    ofManagement((session) => manage.complete(deps, session)),
  );
  routes.all('/s/:id/api/*', () => refuse('not_found', 'There is nothing here.'));
  return routes;
}

const UNAUTHORIZED = 'This link is not valid. Go back and start again.';
const EXPIRED = 'This session has expired. Go back and start again.';

/** A payment that was begun, or made, outlives its session's time; a management session ends with it (R-44, R-51). */
function isOver(session: Session, now: number): boolean {
  return session.flow === 'payment' ? statusAt(session, now) === 'Expired' : now >= session.expiresAt;
}

/** Only the service's own pages, or clients that are no browser. */
function refuseForeign(request: globalThis.Request, own: string): Response | null {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if ((origin === null || origin === own) && (site === null || site === 'same-origin')) return null;
  return refuse('unauthorized', 'Only the page of this session may ask this.', 403);
}

/** Empty, which nothing is called, for what is no id of ours: a database might not survive it. */
function idOf(text: string | undefined): string {
  return isId(text) ? text : '';
}

/** Null for a wrong secret and for an unknown session alike. */
async function authenticate(
  deps: Deps,
  id: string,
  authorization: string | undefined,
): Promise<Session | null> {
  const secret = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(authorization ?? '')?.[1];
  if (secret === undefined || !isId(id)) return null;
  const session = await deps.store.transaction((tx) => tx.sessions.get(id));
  return session && deps.secrets.verify(session.secretKeyId, session.id, secret) ? session : null;
}

async function readBody(request: globalThis.Request): Promise<Record<string, unknown> | Response> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    return refuse('invalid', 'Send JSON, with "Content-Type: application/json".', 415);
  }
  const bytes = await readAtMost(request, MOST_BYTES);
  if (bytes === null) return refuse('invalid', 'This is more than a form holds.', 413);
  try {
    const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isRecord(body)) return body;
  } catch {
    // Said below; the parser's own message would repeat what was sent.
  }
  return refuse('invalid', 'Send a JSON object.');
}

async function readAtMost(request: globalThis.Request, most: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function ofPayment(run: (session: PaymentSession, request: Request) => Promise<Response>): Handler {
  return async (request) =>
    request.session.flow === 'payment' ? run(request.session, request) : otherFlow();
}

function ofManagement(
  run: (session: AccountSession | CustomerSession, request: Request) => Promise<Response>,
): Handler {
  return async (request) =>
    request.session.flow === 'payment' ? otherFlow() : run(request.session, request);
}

function ofAccount(
  flow: AccountFlow,
  run: (session: AccountSession, request: Request) => Promise<Response>,
): Handler {
  return async (request) => {
    const { session } = request;
    return session.flow === flow ? run(session, request) : otherFlow();
  };
}

function otherFlow(): Response {
  return refuse('not_found', 'This session is for something else.');
}

/**
 * `/s/{id}/api/*`, the API of the hosted pages, typed in `shared/page.ts`. A request carries the session's secret and
 * comes from the service's own pages or a non-browser client. Its body is never logged.
 */
import { ERROR_STATUS, MAX_CHARGES } from '@embedded-sessions/server-types';
import { Hono, type Context } from 'hono';
import type { Deps } from '../../deps.js';
import { ServiceError } from '../../core/error.js';
import { defined } from '../../core/defined.js';
import type { Result } from '../../core/result.js';
import type { Device } from '../../processor/rules/port.js';
import { isId } from '../../core/page-ids.js';
import { requestBytesOf } from '../../sessions/store.js';
import { refuseEnded, returnUrlOf, type Session } from '../../sessions/rules/session.js';
import { isRecord } from '../../processor/rules/source.js';
import type { StoreTx } from '../../core/store.js';
import { syncClockIn } from '../../platform/clock.js';
import { unitOf, type BusinessUnit } from '../../platform/config/config.js';
import { addToLog, currentContext, runInContext } from '../../platform/context.js';
import { describeError } from '../../platform/log/log.js';
import { FRAMED_BY, PAGE_LOOK, type PageLook } from '../../shared/warm.js';
import type { RequestContext } from '../../platform/http/around.js';
import { parseJson, readJsonBytes } from '../../platform/http/body.js';
import { isRefusal, otherMethods } from '../../platform/http/envelope.js';
import { limited, requestTimeLimit } from '../../platform/timeouts.js';
import type { Turn, Turns } from '../../platform/turns.js';
import { Buckets, type BucketSize, addressOf, type GuessLimits } from '../../platform/http/buckets.js';
import { type AddressRange, clientAddress, peerOf } from '../../platform/http/client-address.js';
import { languageFor, appearanceFor } from '../hosted-page.js';
import { appearanceProperties, dependsOnSystem } from '../appearance.js';
import { matchLanguage, type Language } from '../../shared/languages.js';
import { rememberLanguage } from '../../messages/recipients.js';
import { costBeyond, costOfSize } from '../../api/rate-limit.js';
import { pageResponse, unavailableResponse, refuse, tooManyResponse } from './responses.js';
import { HANDLERS, type Handler } from './handlers.js';

/** Rate limit of changes per session (R-57), per process. */
export const CHANGES: BucketSize = { burst: 100, perSecond: 0.5 };

/** Rate limit of reading a session, per process. */
export const READS: BucketSize = { burst: 200, perSecond: 2 };

/** Rate limit of paying and of asking for an outcome, per session and process. Pages ask every five seconds. */
export const OUTCOMES: BucketSize = { burst: 200, perSecond: 2 };

/** At most twenty receipts a day to an address, per process, so that payers can't fill strangers' mailboxes. */
const RECEIPTS: BucketSize = { burst: 10, perSecond: 10 / 86_400 };

/** Reading what else pays the accounts of this many charges takes about as long as reading the session itself. */
const CHARGES_PER_TOKEN = 5;

/** More than our forms send. */
const MAX_BYTES = 64 * 1024;

/** More than our forms send. Each may take twenty times its text while a payment waits for the processor (R-91). */
const MAX_VALUES = 2_000;
const VALUE_MARKS = new Set(Buffer.from('{[,'));

export function pageApi(service: Deps, guessLimits: GuessLimits, turns: Turns): Hono<RequestContext> {
  const routes = new Hono<RequestContext>();
  const api = new PageApi(service, guessLimits, turns);
  for (const [request, handler] of Object.entries(HANDLERS)) {
    const [method, path] = request.split(' ') as [string, string];
    routes.on(method, `/s/:id/api/${path}`, async (c) => {
      const response = await api.respond(c, handler);
      c.set('whole', response);
      return response;
    });
  }
  routes.all('/s/:id/api/*', (c) => {
    const allow = otherMethods(routes, c);
    if (allow === null) return refuse('not_found', 'There is nothing here.');

    const refused = refuse('invalid', `This address accepts only ${allow}.`, ERROR_STATUS.method_not_allowed);
    refused.headers.set('allow', allow);
    return refused;
  });
  return routes;
}

type PageContext = Context<RequestContext>;

/** What a large session needs to be read. */
interface Large {
  /** Whose turn it has to wait for. */
  readonly owner: Turn['owner'];
  /** Tokens that the request has been charged. */
  readonly paid: number;
}

class PageApi {
  readonly #service: Deps;
  readonly #guessLimits: GuessLimits;
  readonly #turns: Turns;
  readonly #own: string;
  readonly #changes = new Buckets(() => CHANGES);
  readonly #reads = new Buckets(() => READS);
  readonly #outcomes = new Buckets(() => OUTCOMES);
  readonly #receipts = new Buckets(() => RECEIPTS);

  constructor(service: Deps, guessLimits: GuessLimits, turns: Turns) {
    this.#service = service;
    this.#guessLimits = guessLimits;
    this.#turns = turns;
    this.#own = new URL(service.publicUrl).origin;
  }

  async respond(c: PageContext, handler: Handler): Promise<Response> {
    const foreign = refuseOtherOrigin(c.req.raw, this.#own);
    if (foreign) return foreign;

    const timeLimit = requestTimeLimit();
    const deps = limited(this.#service, timeLimit);
    try {
      const answer = await this.#answer(deps, c, handler);
      if (answer instanceof Response) return answer;

      const { owner, paid } = answer;
      const store = this.#turns.storeOf(this.#service.store, { owner, isLarge: true }, timeLimit);
      return (await this.#answer(limited({ ...deps, store }, timeLimit), c, handler, paid)) as Response;
    } catch (error) {
      return this.#failed(error, c.req.routePath);
    }
  }

  /** Responds, unless the session is large. @param paid if it has its turn */
  #answer(deps: Deps, c: PageContext, handler: Handler, paid?: number): Promise<Response | Large> {
    const keyId = keyOf(deps, c);
    // Without its secret, refuse before a transaction begins (R-91).
    if (c.req.method !== 'GET' || keyId === null) return this.#respond(deps, c, keyId, handler, paid);
    // These only read, so one transaction is enough.
    return deps.store.read((tx) => {
      const store = { ...deps.store, read: <T>(work: (tx: StoreTx) => Promise<T>) => work(tx) };
      return this.#respond({ ...deps, store }, c, keyId, handler, paid);
    });
  }

  async #respond(
    deps: Deps,
    c: PageContext,
    keyId: string | null,
    handler: Handler,
    paid?: number,
  ): Promise<Response | Large> {
    const hasTurn = paid !== undefined;
    const session = await this.#admit(deps, c, keyId, hasTurn);
    if (session instanceof Response) return session;

    const { id, businessUnit: owner } = session;
    const rates = this.#ratesOf(c, handler);
    const size = costOfSize(requestBytesOf(session));
    const charges = hasTurn || size <= 1 ? costOfCharges(session, size) : 0;
    // Before the work, because hundreds of requests may arrive at once (R-91).
    const cost = Math.max(1, size, rates === this.#reads ? charges : 0);
    const retryAfter = rates.take(id, cost, paid);
    if (retryAfter > 0) return tooManyResponse(retryAfter);
    if (!hasTurn && Math.max(size, charges) > 1) return { owner, paid: cost };

    const response = await this.#run(deps, c, handler, session, (bytes) =>
      rates.take(id, cost + Math.max(1, costOfSize(bytes)) - 1, cost),
    );
    rates.spend(id, costBeyond(currentContext().parsed?.bytes ?? 0, cost));
    return response;
  }

  #ratesOf(c: PageContext, { isOutcome }: Handler): Buckets {
    if (isOutcome) return this.#outcomes;
    return c.req.method === 'POST' ? this.#changes : this.#reads;
  }

  /** @param takeFor charges for the size of the body. Returns how many seconds to wait instead, or 0. */
  async #run(
    deps: Deps,
    c: PageContext,
    handler: Handler,
    session: Session,
    takeFor: (bytes: number) => number,
  ): Promise<Response> {
    const now = deps.clock.now();
    const ended = refuseEnded(session, now);
    if (ended && !(handler.late && ended.code === 'expired'))
      return pageResponse(ended, () => returnUrlOf(session, now));

    const isPost = c.req.method === 'POST';
    const body = isPost ? await readBody(c.req.raw, takeFor) : {};
    if (body instanceof Response) return body;

    // The config may have changed while the body arrived (R-65).
    const business = unitOf(deps.config, session.businessUnit);
    if (!business) return refuse('unauthorized', UNAUTHORIZED);

    const language = matchLanguage(c.req.header('accept-language')?.split(',')[0] ?? '');

    const device = deviceOf(c, deps.config.trustedProxies);
    const param = (name: string): string => idOf(c.req.param(name));
    const outcome = await runInContext({ ...currentContext(), device, pageOf: session.id }, async () => {
      if (isPost) await storeLanguage(deps, session, language);
      return handler.run({ deps, session, business, language, body, param, receipts: this.#receipts });
    });
    logOutcome(outcome);
    const response = pageResponse(outcome, () => returnUrlOf(session, now));
    return withLook(response, deps, c, business);
  }

  /**
   * @param keyId see {@link keyOf}
   * @param hasTurn whether to read the request even if it is large
   */
  async #admit(
    deps: Deps,
    c: PageContext,
    keyId: string | null,
    hasTurn: boolean,
  ): Promise<Session | Response> {
    const id = idOf(c.req.param('id'));
    const session = await authenticate(deps, id, keyId, hasTurn);
    if (!session) this.#guessLimits.wrongSecret(addressOf(c.env), id);
    const business = unitOf(deps.config, session?.businessUnit);
    if (!session || !business) return refuse('unauthorized', UNAUTHORIZED);

    addToLog({ sessionId: session.id, businessUnit: business.slug });
    const framer = c.req.header(FRAMED_BY);
    const mayFrame =
      framer === undefined || (session.flow === 'payment' && business.allowedOrigins.includes(framer));
    return mayFrame ? session : refuse('unauthorized', UNAUTHORIZED, MISDIRECTED);
  }

  #failed(error: unknown, route: string): Response {
    if (error instanceof ServiceError && error.code === 'rate_limited') {
      const refused = refuse('unauthorized', UNAUTHORIZED, 429);
      refused.headers.set('retry-after', String(error.retryAfter));
      return refused;
    }

    this.#service.log.error('A page request failed', { route, error: describeError(error) });
    if (error instanceof ServiceError && error.code === 'unavailable') return unavailableResponse(error);
    return refuse('internal', 'Something went wrong here. Try again.');
  }
}

/** Parses only a request that is small. A large one costs as much as its charges anyway. */
function costOfCharges(session: Session, size: number): number {
  if (session.flow !== 'payment' || size >= MAX_CHARGES / CHARGES_PER_TOKEN) return 0;

  return session.request.Charges.length / CHARGES_PER_TOKEN;
}

async function storeLanguage(
  { store, config }: Deps,
  { customerId }: Session,
  language: Language | undefined,
): Promise<void> {
  const sends = config.email !== undefined || config.sms !== undefined;
  if (sends && language !== undefined && customerId !== undefined)
    await rememberLanguage(store, customerId, language);
}

/** A warm page has the default texts and appearance. If this header is missing, it reloads. */
function withLook(response: Response, { env }: Deps, c: PageContext, business: BusinessUnit): Response {
  if (c.req.header(FRAMED_BY) === undefined) return response;

  const language = languageFor({ environment: env }, c, business);
  if (business.messages?.[language as Language] !== undefined) return response;

  const looks = appearanceFor(c, business);
  if (dependsOnSystem(looks)) return response;

  const look: PageLook = { language, scheme: looks.scheme, style: appearanceProperties(looks) };
  response.headers.set(PAGE_LOOK, JSON.stringify(look));
  return response;
}

function logOutcome(outcome: Result<unknown>): void {
  if (!outcome.ok) addToLog({ codes: [outcome.code] });
  else if (isRecord(outcome.value) && typeof outcome.value['status'] === 'string')
    addToLog({ outcome: outcome.value['status'] });
}

/** Maximum length of the `User-Agent` that is passed on. Browsers send half of it. */
const MAX_USER_AGENT_LENGTH = 500;

function deviceOf(c: PageContext, trustedProxies: AddressRange[]): Device {
  const ip = clientAddress(peerOf(c.env), c.req.header('x-forwarded-for'), trustedProxies);
  const userAgent = c.req.header('user-agent')?.slice(0, MAX_USER_AGENT_LENGTH) || undefined;
  return defined({ ip, userAgent });
}

/** Status for a warm page that can't show a session that the session's own page can show. */
const MISDIRECTED = 421;
const UNAUTHORIZED = 'This link is not valid. Go back and start again.';

function refuseOtherOrigin(request: globalThis.Request, own: string): Response | null {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if ((origin === null || origin === own) && (site === null || site === 'same-origin')) return null;
  return refuse('unauthorized', 'Only the page of this session may send this request.', 403);
}

/** Replaces a malformed id, which a database may reject, with an empty one, which no row has. */
function idOf(text: string | undefined): string {
  return isId(text) ? text : '';
}

/** Id of the session key that the request's secret is derived from. */
function keyOf({ secrets }: Deps, c: PageContext): string | null {
  const secret = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(c.req.header('authorization') ?? '')?.[1];
  return secret === undefined ? null : secrets.keyOf(idOf(c.req.param('id')), secret);
}

/** Resolves to null for both a wrong secret and an unknown session. */
async function authenticate(
  deps: Deps,
  id: string,
  keyId: string | null,
  hasTurn: boolean,
): Promise<Session | null> {
  if (keyId === null) return null;
  const [session] = await deps.store.read((tx) =>
    Promise.all([hasTurn ? tx.sessions.get(id) : tx.sessions.peek(id), syncClockIn(tx, deps)]),
  );
  return session?.secretKeyId === keyId ? session : null;
}

async function readBody(
  request: globalThis.Request,
  takeFor: (bytes: number) => number,
): Promise<Record<string, unknown> | Response> {
  try {
    const bytes = await readJsonBytes(request, MAX_BYTES);
    const retryAfter = takeFor(bytes.length);
    if (retryAfter > 0) return tooManyResponse(retryAfter);

    const values = bytes.reduce((count, byte) => (VALUE_MARKS.has(byte) ? count + 1 : count), 0);
    if (values > MAX_VALUES) return refuse('invalid', `Send at most ${MAX_VALUES} values.`);

    const { value } = await parseJson(bytes);
    return isRecord(value) ? value : refuse('invalid', 'Send a JSON object.');
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refuse('invalid', error.message, ERROR_STATUS[error.code]);
  }
}

import {
  checkPaymentRules,
  type Envelope,
  EVENTS_ENDPOINT,
  type EventPayloads,
  type EventType,
  type Flow,
  FLOWS,
  type PaymentSession,
  type PaymentSessionRequest,
  QUERY_ENDPOINT,
  type SessionAnswers,
  type SessionDetails,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import { problemOf } from './answer.js';
import { type Environment, refuse, refuseBrowser, resolveEnvironment } from './environment.js';
import { asServiceError, isServiceError, ServiceError } from './error.js';
import { inOrder } from './order.js';
import { send, type Sent, type TransportConfig } from './request.js';
import type {
  Answer,
  CallOptions,
  CreatedSession,
  CreateOptions,
  DevelopmentClient,
  EventAnswer,
  EventOf,
  Limits,
  ReadSession,
  ServiceClient,
  ServiceClientOptions,
  Sessions,
  WithResponse,
} from './surface.js';

const DEFAULTS: Required<Limits> = { timeoutMs: 15_000, totalTimeoutMs: 45_000, maxRetries: 2 };
/** Timers end at 2^31 - 1 milliseconds; beyond it they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const MOST_NEW_REFERENCES = 3;

const limitsOf = (given: Limits, defaults: Required<Limits>): Required<Limits> => {
  const limits = { ...defaults };
  for (const name of Object.keys(DEFAULTS) as (keyof Limits)[]) {
    const value = (limits[name] = given[name] ?? limits[name]);
    if (!(value >= 0 && value <= LONGEST_TIMER_MS)) refuse(`${name} is out of range.`);
  }
  return limits;
};

/** The promise of the data, which can also tell how it came about. Whatever it rejects with is a ServiceError. */
const answerOf = <T>(sent: Promise<WithResponse<T>>): Answer<T> => {
  const work = sent.catch((cause: unknown) => {
    throw asServiceError(cause);
  });
  const promise = work.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: () => {
      promise.catch(() => undefined); // the same rejection reaches the caller through `work`
      return work;
    },
  });
};

const withData = <T>({ status, requestId, attempts }: Sent, data: T): WithResponse<T> => ({
  data,
  status,
  requestId,
  attempts: attempts.length,
});

const readByContract = (_flow: Flow, data: unknown): ReadSession => {
  const session = data as PaymentSession;
  return {
    sessionUrl: session.PaymentLogInLink,
    sessionId: session.PaymentSessionIdentifier,
    status: session.Status,
  };
};

const preflight = (request: unknown): void => {
  const problems = checkPaymentRules(request);
  if (problems.length > 0)
    throw new ServiceError(
      'validation',
      `Nothing was sent: ${problems.map(({ message }) => message).join(' ')}`,
      { errors: problems.map(problemOf), details: { preflight: true } },
    );
};

/**
 * A client of the session API and the Events API, for a merchant's backend. Sends nothing yet; throws a `ServiceError`
 * of kind `configuration` where the options cannot work, and in a browser.
 *
 * @example
 * const client = createServiceClient({
 *   environment: 'staging',
 *   baseUrl: process.env.SERVICE_BASE_URL,
 *   apiKey: process.env.SERVICE_API_KEY,
 * });
 * const session = await client.payments.create({
 *   BusinessUnitSlug: 'harborlight-water',
 *   Channel: 'QuickPay',
 *   Charges: [{ Amount: 12_345 }],
 * });
 * response.json({ sessionUrl: session.sessionUrl, environment: session.environment });
 */
export function createServiceClient(
  options: ServiceClientOptions & { environment: 'development' },
): DevelopmentClient;
export function createServiceClient(options: ServiceClientOptions): ServiceClient;
export function createServiceClient(options: ServiceClientOptions): ServiceClient | DevelopmentClient {
  refuseBrowser();
  const { environment, baseUrl } = resolveEnvironment(options, options.fetch !== undefined);
  const { apiKey, readSession = readByContract, onRequest, onResponse } = options;
  if (!apiKey) refuse('apiKey is missing.');
  const limits = limitsOf(options, DEFAULTS);
  // Kept in this closure, which nothing prints: the API key is in no object that a caller can reach.
  const config: TransportConfig = {
    baseUrl,
    apiKey,
    fetch: options.fetch ?? ((request) => fetch(request)),
    onRequest,
    onResponse,
  };

  async function create<F extends Flow>(
    flow: F,
    request: SessionRequests[F],
    call: CreateOptions,
  ): Promise<WithResponse<CreatedSession<SessionAnswers[F]>>> {
    const sessionEnvironment = environmentOfSessions();
    const own = limitsOf(call, limits);
    const key = call.idempotencyKey ?? crypto.randomUUID();
    const endsAt = performance.now() + own.totalTimeoutMs;
    let body: SessionRequests[F] = request;
    let earlier = 0;
    for (let round = 0; ; round += 1) {
      if (flow === 'payment' && (call.preflight ?? options.preflight ?? true)) preflight(body);
      const startedAt = Date.now();
      try {
        const sent = await send(config, {
          ...own,
          path: FLOWS[flow].endpoint,
          body,
          idempotencyKey: round === 0 ? key : `${key}.${round}`,
          signal: call.signal,
          totalTimeoutMs: Math.max(1, endsAt - performance.now()),
        });
        const { sessionUrl, sessionId = '', status = '' } = read(flow, sent);
        const lifetimeMs = sent.lifetimeMs >= 0 ? sent.lifetimeMs : FLOWS[flow].lifetimeMs;
        const endOfLife = startedAt + lifetimeMs;
        const answer = withData(sent, {
          sessionId,
          sessionUrl,
          environment: sessionEnvironment,
          expiresAt: new Date(endOfLife).toISOString(),
          expiresInMs: Math.max(0, endOfLife - Date.now()),
          status,
          raw: sent.raw as Envelope<SessionAnswers[F]>,
        });
        return { ...answer, attempts: earlier + answer.attempts };
      } catch (error) {
        if (!isServiceError(error) || error.kind !== 'referenceConflict' || round === MOST_NEW_REFERENCES)
          throw error;
        const { ambiguous, attempts } = error;
        const reference = String((body as PaymentSessionRequest).ClientReference);
        const another = await call.onReferenceConflict?.({ reference, ambiguous, attempts, error });
        if (another === undefined) throw error;
        earlier += attempts.length;
        body = { ...body, ClientReference: another };
      }
    }
  }

  const environmentOfSessions = (): Exclude<Environment, 'development'> =>
    environment === 'development' ? refuse('development serves the Events API alone.') : environment;

  const read = (flow: Flow, { data, status, requestId, attempts }: Sent): ReadSession => {
    try {
      const session = readSession(flow, data);
      if (/^https?:/.test(session.sessionUrl)) return session;
      throw new Error('no web address');
    } catch (cause) {
      throw new ServiceError('protocol', `No session URL in the answer to ${flow}: give readSession.`, {
        cause,
        status,
        attempts,
        requestId,
      });
    }
  };

  const sessions = <F extends Flow>(flow: F): Sessions<SessionRequests[F], SessionAnswers[F]> => ({
    create: (request, call = {}) => answerOf(create(flow, request, call)),
  });

  const post = async (
    path: string,
    body: object,
    call: CallOptions,
    before?: Promise<unknown>,
  ): Promise<Sent> => send(config, { ...limitsOf(call, limits), path, body, signal: call.signal, before });

  async function push<E extends EventType>(
    eventType: E,
    event: EventOf<EventPayloads[E]>,
    call: CallOptions,
  ): Promise<WithResponse<EventAnswer>> {
    const { businessUnitSlug, ...rest } = event;
    const payload: EventPayloads[EventType] = 'payload' in rest ? rest.payload : rest;
    const body = { eventType, payload: JSON.stringify(payload), businessUnitSlug };
    const account = [baseUrl, businessUnitSlug, payload.accountNumber, payload.subAccountNumber];
    const sent = await inOrder(JSON.stringify(account), (before) =>
      post(EVENTS_ENDPOINT, body, call, before),
    );
    return withData(sent, { raw: sent.raw });
  }

  async function retrieve(
    slug: string,
    id: string,
    call: CallOptions,
  ): Promise<WithResponse<SessionDetails>> {
    environmentOfSessions();
    const body = { BusinessUnitSlug: slug, PaymentSessionIdentifier: id };
    const sent = await post(QUERY_ENDPOINT, body, call);
    return withData(sent, sent.data as SessionDetails);
  }

  return {
    environment,
    payments: sessions('payment'),
    autopay: sessions('autopay'),
    wallet: sessions('wallet'),
    paperless: sessions('paperless'),
    schedulePayment: sessions('schedule-payment'),
    scheduledPayments: sessions('scheduled-payments'),
    notifications: sessions('notifications'),
    events: {
      manageCustomer: (event, call = {}) => answerOf(push('Accounts.ManageCustomer', event, call)),
      unenrollAutopay: (event, call = {}) => answerOf(push('Accounts.UnenrollAutopay', event, call)),
    },
    sessions: { retrieve: (slug, id, call = {}) => answerOf(retrieve(slug, id, call)) },
  };
}

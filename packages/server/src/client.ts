import {
  checkPaymentRules,
  type Envelope,
  EVENTS_ENDPOINT,
  type EventPayloads,
  type EventType,
  type Flow,
  FLOWS,
  QUERY_ENDPOINT,
  type SessionAnswers,
  type SessionDetails,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import { type Environment, refuseBrowser, resolveEnvironment } from './environment.js';
import { isServiceError, ServiceError } from './error.js';
import { inOrder } from './order.js';
import { type Sent, Transport } from './request.js';
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
const MOST_NEW_REFERENCES = 3;
const LONGEST_IDEMPOTENCY_KEY = 255;

const limitsOf = (given: Limits, defaults: Required<Limits>): Required<Limits> => {
  const limits = {
    timeoutMs: given.timeoutMs ?? defaults.timeoutMs,
    totalTimeoutMs: given.totalTimeoutMs ?? defaults.totalTimeoutMs,
    maxRetries: given.maxRetries ?? defaults.maxRetries,
  };
  for (const [name, value] of Object.entries(limits)) {
    const least = name === 'maxRetries' ? 0 : 1;
    // Timers of every platform end at 2^31 - 1 milliseconds; beyond it they fire at once.
    if (!Number.isInteger(value) || value < least || value > 2 ** 31 - 1)
      throw new ServiceError('configuration', `${name} must be an integer, at least ${least}.`);
  }
  return limits;
};

/** The promise of the data, which can also tell how it came about. */
const answerOf = <T>(work: Promise<WithResponse<T>>): Answer<T> => {
  const promise = work.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: () => {
      promise.catch(() => undefined); // the same rejection reaches the caller through `work`
      return work;
    },
  });
};

const readByContract = (_flow: Flow, data: unknown): ReadSession => {
  const { PaymentLogInLink, PaymentSessionIdentifier, Status } = (data ?? {}) as Record<string, unknown>;
  if (typeof PaymentLogInLink !== 'string' || typeof PaymentSessionIdentifier !== 'string')
    throw new Error('data has no PaymentLogInLink or no PaymentSessionIdentifier');
  return {
    sessionUrl: PaymentLogInLink,
    sessionId: PaymentSessionIdentifier,
    ...(typeof Status === 'string' ? { status: Status } : {}),
  };
};

const checkIdempotencyKey = (key: string): void => {
  if (!/^[\u0020-\u007e]+$/.test(key) || key.length > LONGEST_IDEMPOTENCY_KEY)
    throw new ServiceError(
      'configuration',
      `idempotencyKey must be 1 to ${LONGEST_IDEMPOTENCY_KEY} printable ASCII characters.`,
    );
};

const preflight = (request: unknown): void => {
  const problems = checkPaymentRules(request);
  if (problems.length === 0) return;
  throw new ServiceError(
    'validation',
    `Nothing was sent: the request breaks the contract's rules. ${problems.map(({ message }) => message).join(' ')}`,
    { errors: problems.map((problem) => ({ ...problem, raw: problem })), details: { preflight: true } },
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
  if (typeof options.apiKey !== 'function' && (typeof options.apiKey !== 'string' || options.apiKey === ''))
    throw new ServiceError(
      'configuration',
      'apiKey is missing: give the secret key, or a function that fetches it.',
    );
  const limits = limitsOf(options, DEFAULTS);
  const readSession = options.readSession ?? readByContract;
  const checkFirst = options.preflight ?? true;
  const transport = new Transport({
    baseUrl,
    apiKey: options.apiKey,
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
    onRequest: options.onRequest,
    onResponse: options.onResponse,
  });

  const refuseInDevelopment = (): Exclude<Environment, 'development'> => {
    if (environment !== 'development') return environment;
    throw new ServiceError(
      'configuration',
      'development serves the Events API alone: use a staging base URL and key for sessions.',
    );
  };

  async function create<F extends Flow>(
    flow: F,
    request: SessionRequests[F],
    call: CreateOptions,
  ): Promise<WithResponse<CreatedSession<SessionAnswers[F]>>> {
    const sessionEnvironment = refuseInDevelopment();
    const { totalTimeoutMs, ...each } = limitsOf(call, limits);
    const key = call.idempotencyKey ?? crypto.randomUUID();
    checkIdempotencyKey(key);
    const endsAt = performance.now() + totalTimeoutMs;
    let body: SessionRequests[F] = request;
    let earlier = 0;
    for (let round = 0; ; round += 1) {
      if (flow === 'payment' && (call.preflight ?? checkFirst)) preflight(body);
      const startedAt = Date.now();
      try {
        const sent = await transport.send({
          path: FLOWS[flow].endpoint,
          body,
          idempotencyKey: round === 0 ? key : `${key.slice(0, LONGEST_IDEMPOTENCY_KEY - 2)}.${round}`,
          signal: call.signal,
          ...each,
          totalTimeoutMs: Math.max(1, Math.ceil(endsAt - performance.now())),
        });
        const { sessionUrl, sessionId = '', status = '' } = readAs(flow, sent);
        const endOfLife = startedAt + FLOWS[flow].lifetimeMs;
        return {
          data: {
            sessionId,
            sessionUrl,
            environment: sessionEnvironment,
            expiresAt: new Date(endOfLife).toISOString(),
            expiresInMs: Math.max(0, endOfLife - Date.now()),
            status,
            raw: sent.raw as Envelope<SessionAnswers[F]>,
          },
          status: sent.status,
          requestId: sent.requestId,
          attempts: earlier + sent.attempts.length,
        };
      } catch (error) {
        const reference = await anotherReference(error, body, round, call);
        if (reference === undefined) throw error;
        earlier += (error as ServiceError).attempts.length;
        body = { ...body, ClientReference: reference };
      }
    }
  }

  const readAs = (flow: Flow, { data, status, requestId, attempts }: Sent): ReadSession => {
    try {
      const read = readSession(flow, data);
      if (!/^https?:$/.test(new URL(read.sessionUrl).protocol))
        throw new Error('sessionUrl is not http: or https:');
      return read;
    } catch (error) {
      throw new ServiceError(
        'protocol',
        `The answer to ${flow} has no session URL where it was looked for: give readSession for this operator.`,
        { cause: error, status, attempts, ...(requestId === undefined ? {} : { requestId }) },
      );
    }
  };

  const sessions = <F extends Flow>(flow: F): Sessions<SessionRequests[F], SessionAnswers[F]> => ({
    create: (request, call = {}) => answerOf(create(flow, request, call)),
  });

  async function push<E extends EventType>(
    eventType: E,
    event: EventOf<EventPayloads[E]>,
    call: CallOptions,
  ): Promise<WithResponse<EventAnswer>> {
    const { businessUnitSlug, ...rest } = event;
    const payload: EventPayloads[EventType] = 'payload' in rest ? rest.payload : rest;
    const account = [baseUrl, businessUnitSlug, payload.accountNumber, payload.subAccountNumber];
    const body = { eventType, payload: JSON.stringify(payload), businessUnitSlug };
    const own = limitsOf(call, limits);
    const sent = await inOrder(JSON.stringify(account), call.signal, () =>
      transport.send({ path: EVENTS_ENDPOINT, body, signal: call.signal, ...own }),
    );
    return {
      data: { raw: sent.raw },
      status: sent.status,
      requestId: sent.requestId,
      attempts: sent.attempts.length,
    };
  }

  async function retrieve(
    BusinessUnitSlug: string,
    PaymentSessionIdentifier: string,
    call: CallOptions,
  ): Promise<WithResponse<SessionDetails>> {
    refuseInDevelopment();
    const body = { BusinessUnitSlug, PaymentSessionIdentifier };
    const own = limitsOf(call, limits);
    const sent = await transport.send({ path: QUERY_ENDPOINT, body, signal: call.signal, ...own });
    return {
      data: sent.data as SessionDetails,
      status: sent.status,
      requestId: sent.requestId,
      attempts: sent.attempts.length,
    };
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

/** The reference that the caller chose instead of the one that was taken. */
async function anotherReference(
  error: unknown,
  request: object,
  round: number,
  { onReferenceConflict }: CreateOptions,
): Promise<string | undefined> {
  if (!isServiceError(error) || error.kind !== 'referenceConflict') return undefined;
  if (onReferenceConflict === undefined || round >= MOST_NEW_REFERENCES) return undefined;
  const reference = (request as { ClientReference?: unknown }).ClientReference;
  return onReferenceConflict({
    reference: String(reference),
    ambiguous: error.ambiguous,
    attempts: error.attempts,
    error,
  });
}

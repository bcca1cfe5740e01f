/** Creates sessions. */
import {
  checkPaymentRules,
  type Envelope,
  type Flow,
  FLOWS,
  type PaymentSession,
  type PaymentSessionRequest,
  type SessionAnswers,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import { problemOf } from './answer.js';
import { until } from './deadline.js';
import { isServiceError, ServiceError } from './error.js';
import { begin, type Course, type Sent } from './request.js';
import { post, readBy, sessionEnvironment, type Settings } from './settings.js';
import type {
  CreatedSession,
  CreateOptions,
  ReadSession,
  ServiceClientOptions,
  WithResponse,
} from './surface.js';
import { withData } from './with-response.js';

const MOST_NEW_REFERENCES = 3;

const readByContract = (_flow: Flow, data: unknown): ReadSession => {
  const session = data as PaymentSession;
  return {
    sessionUrl: session.PaymentLogInLink,
    sessionId: session.PaymentSessionIdentifier,
    status: session.Status,
  };
};

const read = (
  flow: Flow,
  course: Course,
  sent: Sent,
  readSession: NonNullable<ServiceClientOptions['readSession']> = readByContract,
): Promise<ReadSession> =>
  readBy(course, sent, `No session URL in the answer to ${flow}: give readSession.`, async () => {
    const session = await readSession(flow, sent.data);
    if (/^https?:/.test(session.sessionUrl)) return session;
    throw new Error('no web address');
  });

const preflight = (request: unknown): void => {
  const problems = checkPaymentRules(request);
  if (problems.length > 0)
    throw new ServiceError(
      'validation',
      `Nothing was sent: ${problems.map(({ message }) => message).join(' ')}`,
      { errors: problems.map(problemOf), details: { preflight: true } },
    );
};

/** what the service says that a session is of is believed, whatever this client was told that `baseUrl` is of. */
const checkEnvironment = (expected: string, { environment: found, status, requestId }: Sent): void => {
  if (found !== null && found !== expected)
    throw new ServiceError(
      'configuration',
      `This client is for ${expected}, and the service at baseUrl made a session of ${found}: use one environment.`,
      { details: { expected, found }, status, requestId },
    );
};

/** Creates a session: one `Idempotency-Key` over all attempts, another for each other reference that the caller chooses. */
export function createSession<F extends Flow>(
  settings: Settings,
  options: Pick<ServiceClientOptions, 'preflight' | 'readSession'>,
  flow: F,
  request: SessionRequests[F],
  call: CreateOptions,
): Promise<WithResponse<CreatedSession<SessionAnswers[F]>>> {
  const environment = sessionEnvironment(settings);
  const key = call.idempotencyKey ?? crypto.randomUUID();
  let body: SessionRequests[F] = request;
  return begin(settings.limits, call, async (course) => {
    for (let round = 0; ; round += 1) {
      if (flow === 'payment' && (call.preflight ?? options.preflight ?? true)) preflight(body);
      const startedAt = Date.now();
      try {
        const sent = await post(settings, course, FLOWS[flow].endpoint, body, {
          idempotencyKey: round === 0 ? key : `${key}.${round}`,
        });
        checkEnvironment(environment, sent);
        const {
          sessionUrl,
          sessionId = '',
          status = '',
        } = await read(flow, course, sent, options.readSession);
        const lifetimeMs = sent.lifetimeMs >= 0 ? sent.lifetimeMs : FLOWS[flow].lifetimeMs;
        const endOfLife = startedAt + lifetimeMs;
        return withData(sent, {
          sessionId,
          sessionUrl,
          environment,
          expiresAt: new Date(endOfLife).toISOString(),
          expiresInMs: Math.max(0, endOfLife - Date.now()),
          status,
          raw: sent.raw as Envelope<SessionAnswers[F]>,
        });
      } catch (error) {
        const { ClientReference: reference } = body as PaymentSessionRequest;
        const { onReferenceConflict: choose } = call;
        if (
          !choose ||
          !isServiceError(error) ||
          error.kind !== 'referenceConflict' ||
          !reference ||
          round === MOST_NEW_REFERENCES
        )
          throw error;
        const { ambiguous, attempts } = error;
        const another = await until(course.total.signal, () =>
          choose({ reference, ambiguous, attempts, error }),
        );
        // Whoever has no types may give up with null; a request without a reference must not go out for it.
        if (!another) throw error;
        body = { ...body, ClientReference: another };
      }
    }
  });
}

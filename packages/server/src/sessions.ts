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
import { deadline } from './deadline.js';
import { isServiceError, ServiceError } from './error.js';
import { limitsOf } from './limits.js';
import { inTime, type Sent } from './request.js';
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
  sent: Sent,
  readSession: NonNullable<ServiceClientOptions['readSession']> = readByContract,
): Promise<ReadSession> =>
  readBy(sent, `No session URL in the answer to ${flow}: give readSession.`, async () => {
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
const checkEnvironment = (
  expected: string,
  { environment: found, status, requestId, attempts }: Sent,
): void => {
  if (found !== null && found !== expected)
    throw new ServiceError(
      'configuration',
      `This client is for ${expected}, and the service at baseUrl made a session of ${found}: use one environment.`,
      { details: { expected, found }, status, requestId, attempts },
    );
};

/** Creates a session: one `Idempotency-Key` over all attempts, another for each other reference that the caller chooses. */
export async function createSession<F extends Flow>(
  settings: Settings,
  options: Pick<ServiceClientOptions, 'preflight' | 'readSession'>,
  flow: F,
  request: SessionRequests[F],
  call: CreateOptions,
): Promise<WithResponse<CreatedSession<SessionAnswers[F]>>> {
  const environment = sessionEnvironment(settings);
  const key = call.idempotencyKey ?? crypto.randomUUID();
  const endsAt = performance.now() + limitsOf(call, settings.limits).totalTimeoutMs;
  let body: SessionRequests[F] = request;
  let earlier: WithResponse<unknown>['attempts'] = [];
  for (let round = 0; ; round += 1) {
    if (flow === 'payment' && (call.preflight ?? options.preflight ?? true)) preflight(body);
    const startedAt = Date.now();
    try {
      const sent = await post(settings, FLOWS[flow].endpoint, body, call, {
        idempotencyKey: round === 0 ? key : `${key}.${round}`,
        totalTimeoutMs: endsAt - performance.now(),
      });
      checkEnvironment(environment, sent);
      const { sessionUrl, sessionId = '', status = '' } = await read(flow, sent, options.readSession);
      const lifetimeMs = sent.lifetimeMs >= 0 ? sent.lifetimeMs : FLOWS[flow].lifetimeMs;
      const endOfLife = startedAt + lifetimeMs;
      const answer = withData(sent, {
        sessionId,
        sessionUrl,
        environment,
        expiresAt: new Date(endOfLife).toISOString(),
        expiresInMs: Math.max(0, endOfLife - Date.now()),
        status,
        raw: sent.raw as Envelope<SessionAnswers[F]>,
      });
      return { ...answer, attempts: [...earlier, ...answer.attempts] };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const { attempts } = error;
      const { ClientReference: reference } = body as PaymentSessionRequest;
      earlier = [...earlier, ...attempts];
      const { onReferenceConflict: choose, signal } = call;
      let another: string | undefined;
      if (
        choose &&
        error.kind === 'referenceConflict' &&
        reference !== undefined &&
        round < MOST_NEW_REFERENCES
      ) {
        const rest = deadline(endsAt - performance.now(), 'totalTimeoutMs', signal, 'signal');
        another = await inTime(rest, signal, earlier, () =>
          choose({ reference, ambiguous: error.ambiguous, attempts, error }),
        ).finally(rest.clear);
      }
      if (another === undefined) throw Object.assign(error, { attempts: earlier });
      body = { ...body, ClientReference: another };
    }
  }
}

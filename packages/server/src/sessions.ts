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
import { problemOf } from './response.js';
import { untilAborted } from './deadline.js';
import { isServiceError, ServiceError } from './error.js';
import { type CallContext, type Sent, startCall } from './request.js';
import { post, readWith, sessionEnvironment, type Settings } from './settings.js';
import type {
  CreatedSession,
  CreateOptions,
  ReadSession,
  ServiceClientOptions,
  WithResponse,
} from './surface.js';
import { withData } from './with-response.js';

const MAX_NEW_REFERENCES = 3;

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
  context: CallContext,
  sent: Sent,
  readSession: NonNullable<ServiceClientOptions['readSession']> = readByContract,
): Promise<ReadSession> =>
  readWith(context, sent, `No session URL in the response to ${flow}: set readSession.`, async () => {
    const session = await readSession(flow, sent.data);
    if (/^https?:/.test(session.sessionUrl)) return session;
    throw new Error('not a web address');
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

/** refuses a session that the service reports to be of another environment than the client's options say. */
const checkEnvironment = (expected: string, { environment: found, status, requestId }: Sent): void => {
  if (found !== null && found !== expected)
    throw new ServiceError(
      'configuration',
      `This client is for ${expected}, but the service at baseUrl created a ${found} session: use one environment.`,
      { details: { expected, found }, status, requestId },
    );
};

type Options = Pick<ServiceClientOptions, 'preflight' | 'readSession'>;

/** Creates a session. All attempts with the same reference use one `Idempotency-Key`. */
export function createSession<F extends Flow>(
  settings: Settings,
  options: Options,
  flow: F,
  request: SessionRequests[F],
  call: CreateOptions,
): Promise<WithResponse<CreatedSession<SessionAnswers[F]>>> {
  const environment = sessionEnvironment(settings);
  const key = call.idempotencyKey ?? crypto.randomUUID();
  const isChecked = flow === 'payment' && (call.preflight ?? options.preflight ?? true);

  return startCall(settings.limits, call, async (context) => {
    let body: SessionRequests[F] = request;

    for (let round = 0; ; round += 1) {
      if (isChecked) preflight(body);
      const startedAt = Date.now();

      try {
        const sent = await post(settings, context, FLOWS[flow].endpoint, body, {
          idempotencyKey: round === 0 ? key : `${key}.${round}`,
        });
        checkEnvironment(environment, sent);
        const session = await read(flow, context, sent, options.readSession);
        return withData(sent, createdSession(flow, environment, session, sent, startedAt));
      } catch (error) {
        body = await withAnotherReference(error, body, call, context, round);
      }
    }
  });
}

function createdSession<F extends Flow>(
  flow: F,
  environment: CreatedSession<unknown>['environment'],
  { sessionUrl, sessionId = '', status = '' }: ReadSession,
  sent: Sent,
  startedAt: number,
): CreatedSession<SessionAnswers[F]> {
  const lifetimeMs = sent.lifetimeMs >= 0 ? sent.lifetimeMs : FLOWS[flow].lifetimeMs;
  const expiresAt = startedAt + lifetimeMs;

  return {
    sessionId,
    sessionUrl,
    environment,
    expiresAt: new Date(expiresAt).toISOString(),
    expiresInMs: Math.max(0, expiresAt - Date.now()),
    status,
    raw: sent.raw as Envelope<SessionAnswers[F]>,
  };
}

/** After a conflict, returns the request with a new reference chosen by the caller. Rethrows all other errors. */
async function withAnotherReference<R>(
  error: unknown,
  body: R,
  { onReferenceConflict }: CreateOptions,
  { total }: CallContext,
  round: number,
): Promise<R> {
  const { ClientReference: reference } = body as PaymentSessionRequest;
  if (
    !onReferenceConflict ||
    !isServiceError(error) ||
    error.kind !== 'referenceConflict' ||
    !reference ||
    round === MAX_NEW_REFERENCES
  )
    throw error;

  const { ambiguous, attempts } = error;
  const another = await untilAborted(total.signal, () =>
    onReferenceConflict({ reference, ambiguous, attempts, error }),
  );
  // A JavaScript caller may return null to give up. Don't send the request without a reference.
  if (!another) throw error;

  return { ...body, ClientReference: another };
}

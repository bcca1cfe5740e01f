import {
  checkPaymentRules,
  type Envelope,
  type Flow,
  FLOWS,
  type PaymentSession,
  type PaymentSessionRequest,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
  type SessionResponses,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import { problemOf } from './response.js';
import { untilAborted } from './deadline.js';
import { isServiceError, ServiceError } from './error.js';
import { readWith } from './calls.js';
import { type CallContext, send, type Sent, startCall } from './request.js';
import { isEnvironment, sessionEnvironment, type Settings } from './settings.js';
import type {
  CreatedSession,
  CreateOptions,
  ReadSession,
  ServiceClientOptions,
  WithResponse,
} from './surface.js';

const MAX_NEW_REFERENCES = 3;

const readByContract = (_flow: Flow, data: unknown): ReadSession => {
  const session = data as PaymentSession;
  return {
    sessionUrl: session.PaymentLogInLink,
    sessionId: session.PaymentSessionIdentifier,
    status: session.Status,
  };
};

const checkBeforeSending = (request: unknown): void => {
  const problems = checkPaymentRules(request);
  if (problems.length > 0)
    throw new ServiceError(
      'validation',
      `Nothing was sent: ${problems.map(({ message }) => message).join(' ')}`,
      { errors: problems.map(problemOf), details: { preflight: true } },
    );
};

/** refuses a session whose environment, as the service reports it, is not that of the client's options. */
const checkEnvironment = (expected: string, { header, status, requestId }: Sent): void => {
  const reported = header(SESSION_ENVIRONMENT_HEADER);
  // Anything else may contain a secret.
  const found = isEnvironment(reported) ? reported : 'unknown';
  if (reported && found !== expected)
    throw new ServiceError(
      'configuration',
      `environment is ${expected}, but baseUrl is for ${found}: change one.`,
      {
        details: { expected, found },
        status,
        requestId,
      },
    );
};

/** Creates a session. All attempts with the same reference use one `Idempotency-Key`. */
export function createSession<F extends Flow>(
  settings: Settings,
  { readSession = readByContract, preflight }: Pick<ServiceClientOptions, 'preflight' | 'readSession'>,
  flow: F,
  request: SessionRequests[F],
  call: CreateOptions,
): Promise<WithResponse<CreatedSession<SessionResponses[F]>>> {
  const environment = sessionEnvironment(settings);
  const key = call.idempotencyKey ?? crypto.randomUUID();
  const isChecked = flow === 'payment' && (call.preflight ?? preflight ?? true);

  return startCall(settings, call, async (context) => {
    let body: SessionRequests[F] = request;

    for (let round = 0; ; round += 1) {
      if (isChecked) checkBeforeSending(body);
      const startedAt = Date.now();

      try {
        const sent = await send(context, {
          path: FLOWS[flow].endpoint,
          body,
          idempotencyKey: round === 0 ? key : `${key}.${round}`,
        });
        checkEnvironment(environment, sent);
        const message = 'The response has no session URL: set readSession.';
        return await readWith(context, sent, message, async () => {
          const fields = await readSession(flow, sent.data);
          return createdSession(fields, environment, startedAt + lifetimeMs(flow, sent), sent);
        });
      } catch (error) {
        const { ClientReference: reference } = body as PaymentSessionRequest;
        const another =
          reference &&
          round < MAX_NEW_REFERENCES &&
          (await anotherReference(error, reference, call, context));
        // A JavaScript caller may return null to give up. Don't send the request without a reference.
        if (!another) throw error;
        body = { ...body, ClientReference: another };
      }
    }
  });
}

const createdSession = <R>(
  { sessionUrl, sessionId = '', status = '' }: ReadSession,
  environment: CreatedSession<R>['environment'],
  expiresAt: number,
  { raw }: Sent,
): CreatedSession<R> => {
  if (!/^https?:/.test(sessionUrl)) throw new Error('not a web address');
  return {
    sessionId,
    sessionUrl,
    environment,
    expiresAt: new Date(expiresAt).toISOString(),
    expiresInMs: Math.max(0, expiresAt - Date.now()),
    status,
    raw: raw as Envelope<R>,
  };
};

const lifetimeMs = (flow: Flow, { header }: Sent): number => {
  const seconds = header(SESSION_EXPIRES_IN_HEADER) ?? '';
  // More digits don't fit into a date.
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : FLOWS[flow].lifetimeMs;
};

const anotherReference = async (
  error: unknown,
  reference: string,
  { onReferenceConflict }: CreateOptions,
  { total }: CallContext,
): Promise<string | undefined> => {
  if (!isServiceError(error) || error.kind !== 'referenceConflict') return undefined;

  const { ambiguous, attempts } = error;
  return untilAborted(total.signal, () => onReferenceConflict?.({ reference, ambiguous, attempts, error }));
};

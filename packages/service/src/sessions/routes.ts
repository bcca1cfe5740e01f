/** The seven session endpoints. */
import {
  FLOWS,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
  type Flow,
  type Problem,
} from '@embedded-sessions/server-types';
import type { SessionRequests } from '../core/requests.js';
import { readRequest, requestSchemas, type Read } from '@embedded-sessions/server-types/schemas';
import type { BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { emailKey } from '../accounts/rules/customer.js';
import { createSession } from './create.js';
import type { Endpoint } from '../api/endpoint.js';

/** What is kept for a replay: enough to give the same answer, and no secret. */
export interface Created {
  readonly id: string;
  readonly secretKeyId: string;
  readonly status: string;
  /** Milliseconds since 1970; not in answers that were kept before it was. */
  readonly expiresAt?: number;
}

const PAYMENT_NUMBERS =
  /^(?:CustomMeta|PaymentFields|Charges\[\d+\]\.(?:CustomMeta|Amount$|ClientAccount\.Balance$))/;
const ACCOUNT_NUMBERS = /^ClientAccount\.Balance$/;
const NO_NUMBERS = {};

/** What of each request is kept and may be a number. */
const NUMBERS: Readonly<Record<Flow, { readonly numbers?: RegExp }>> = {
  payment: { numbers: PAYMENT_NUMBERS },
  autopay: { numbers: ACCOUNT_NUMBERS },
  paperless: { numbers: ACCOUNT_NUMBERS },
  'schedule-payment': { numbers: ACCOUNT_NUMBERS },
  'scheduled-payments': { numbers: ACCOUNT_NUMBERS },
  wallet: NO_NUMBERS,
  notifications: NO_NUMBERS,
};

export function sessionEndpoint<F extends Flow>(deps: Deps, flow: F): Endpoint<SessionRequests[F], Created> {
  return {
    path: FLOWS[flow].endpoint,
    slugField: 'BusinessUnitSlug',
    idempotent: true,
    read: (body, unit) => readSession(flow, body, unit),
    ...NUMBERS[flow],
    act: async (tx, request, { unit, now, sessionId, repeated }) => {
      const made = repeated ? await tx.sessions.get(sessionId) : null;
      const session =
        made ??
        (await createSession(tx, flow, request, {
          id: sessionId,
          businessUnit: unit.slug,
          secretKeyId: deps.secrets.newest,
          newId: deps.newId,
          now,
        }));
      const { id, secretKeyId, status, expiresAt } = session;
      return { id, secretKeyId, status, expiresAt };
    },
    answer: ({ id, secretKeyId, status }) => ({
      PaymentSessionIdentifier: id,
      PaymentLogInLink: `${deps.publicUrl}/s/${id}#${deps.secrets.derive(secretKeyId, id)}`,
      Status: status,
    }),
    // A replay gives a session that has lived for a while: the client learns how long it still has.
    headers: ({ expiresAt }, now) => ({
      [SESSION_ENVIRONMENT_HEADER]: deps.env,
      ...(expiresAt !== undefined && {
        [SESSION_EXPIRES_IN_HEADER]: String(Math.max(0, Math.floor((expiresAt - now) / 1000))),
      }),
    }),
  };
}

function readSession<F extends Flow>(
  flow: F,
  body: unknown,
  unit: BusinessUnit | null,
): Read<SessionRequests[F]> {
  const read = readRequest(requestSchemas[flow], body);
  if (flow !== 'payment' || unit === null) return read;
  const problems = [...(read.ok ? [] : read.problems), ...checkConfigured(body, unit)];
  return problems.length === 0 ? read : { ok: false, problems };
}

/** what the business unit's config decides, asked of whatever was sent. */
function checkConfigured(body: unknown, unit: BusinessUnit): Problem[] {
  const { Channel, PosUser, PaymentFields } = (body ?? {}) as Record<string, unknown>;
  const agent = typeof PosUser === 'string' ? emailKey(PosUser) : null;
  const forbidden =
    Channel === 'POS' &&
    agent !== null &&
    /^[^\s@]+@[^\s@]+$/.test(agent) &&
    !unit.agents.some(({ email, pos }) => pos && emailKey(email) === agent);
  const configured = new Set(unit.paymentFields.map(({ key }) => key));
  const given = typeof PaymentFields === 'object' && PaymentFields !== null ? Object.keys(PaymentFields) : [];
  return [
    ...(forbidden
      ? [
          {
            code: 'not_allowed' as const,
            field: 'PosUser',
            message: 'PosUser is not an agent with POS permission: have the operator grant it.',
          },
        ]
      : []),
    ...(Array.isArray(PaymentFields) ? [] : given)
      .filter((key) => !configured.has(key))
      .map((key) => ({
        code: 'not_allowed' as const,
        field: `PaymentFields.${key}`,
        message: `PaymentFields.${key} is not configured for this business unit: leave it out, or have the operator configure it.`,
      })),
  ];
}

import {
  FLOWS,
  MAX_PAYMENT_FIELDS,
  PAYMENT_METHODS,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
  type Flow,
  type PaymentMethod,
  type Problem,
  QUERY_ENDPOINT,
  type SessionDetails,
  type SessionQuery,
} from '@embedded-sessions/server-types';
import type { SessionRequests } from '../core/requests.js';
import {
  readRequest,
  requestSchemas,
  type Read,
  sessionQuerySchema,
} from '@embedded-sessions/server-types/schemas';
import type { BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { isRecord } from '../processor/rules/source.js';
import { emailKey } from '../accounts/rules/customer.js';
import { createSession } from './create.js';
import type { Endpoint } from '../api/endpoint.js';
import type { NumberFields } from '../api/exact-numbers.js';
import { unknownIdentifier } from '../core/error.js';
import { sessionDetails } from './rules/session-details.js';

/** Stored to repeat the response, without the secret. */
export interface Created {
  readonly id: string;
  readonly secretKeyId: string;
  readonly status: string;
  /** Ms since the epoch; absent in responses stored by earlier releases. */
  readonly expiresAt?: number;
}

const ACCOUNT_NUMBERS: NumberFields = { ClientAccount: { Balance: true } };
const PAYMENT_NUMBERS: NumberFields = {
  CustomMeta: true,
  PaymentFields: true,
  Charges: { '*': { ...ACCOUNT_NUMBERS, Amount: true, CustomMeta: true } },
};

/** Numbers that must be stored exactly. */
const NUMBERS: Readonly<Record<Flow, NumberFields>> = {
  payment: PAYMENT_NUMBERS,
  autopay: ACCOUNT_NUMBERS,
  paperless: ACCOUNT_NUMBERS,
  'schedule-payment': ACCOUNT_NUMBERS,
  'scheduled-payments': ACCOUNT_NUMBERS,
  wallet: {},
  notifications: {},
};

export function sessionEndpoint<F extends Flow>(deps: Deps, flow: F): Endpoint<SessionRequests[F], Created> {
  return {
    path: FLOWS[flow].endpoint,
    slugField: 'BusinessUnitSlug',
    idempotent: true,
    read: (body, unit) => readSession(flow, body, unit),
    numbers: NUMBERS[flow],
    act: async (tx, request, { unit, now, sessionId, repeated }) => {
      const existing = repeated ? await tx.sessions.get(sessionId) : null;
      const session =
        existing ??
        (await createSession(tx, flow, request, {
          id: sessionId,
          unit,
          secretKeyId: deps.secrets.newest,
          newId: deps.newId,
          now,
        }));
      const { id, secretKeyId, status, expiresAt } = session;
      return { id, secretKeyId, status, expiresAt };
    },
    respond: ({ id, secretKeyId, status }) => ({
      PaymentSessionIdentifier: id,
      PaymentLogInLink: `${deps.publicUrl}/s/${id}#${deps.secrets.derive(secretKeyId, id)}`,
      Status: status,
    }),
    // In a replay the session is older, so return the remaining lifetime.
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

  const problems = read.ok ? [] : read.problems;
  const refused = new Set(problems.map(({ field }) => field));
  const configured = checkConfigured(body, unit).filter(({ field }) => !refused.has(field));
  return problems.length + configured.length === 0
    ? read
    : { ok: false, problems: [...problems, ...configured] };
}

/** checks the request against the business unit's config. Takes a body of any shape. */
function checkConfigured(body: unknown, unit: BusinessUnit): Problem[] {
  if (!isRecord(body)) return [];

  return [...checkAgent(body, unit), ...checkMethods(body, unit), ...checkFieldKeys(body, unit)];
}

function checkAgent({ Channel, PosUser }: Record<string, unknown>, unit: BusinessUnit): Problem[] {
  if (Channel !== 'POS' || typeof PosUser !== 'string') return [];

  const key = emailKey(PosUser);
  if (unit.agents.some(({ email, pos }) => pos && emailKey(email) === key)) return [];

  const message = 'PosUser is not an agent with POS permission: have the operator grant it.';
  return [{ code: 'not_allowed', field: 'PosUser', message }];
}

function checkMethods({ PaymentMethods }: Record<string, unknown>, unit: BusinessUnit): Problem[] {
  if (!Array.isArray(PaymentMethods) || PaymentMethods.length === 0) return [];

  const areKnown = PaymentMethods.every((method) => PAYMENT_METHODS.includes(method as PaymentMethod));
  if (!areKnown || unit.paymentMethods.some((method) => PaymentMethods.includes(method))) return [];

  const enabled = unit.paymentMethods.join(', ');
  const message = `PaymentMethods lists no method that is enabled for this business unit. Enabled: ${enabled}.`;
  return [{ code: 'not_allowed', field: 'PaymentMethods', message }];
}

function checkFieldKeys({ PaymentFields }: Record<string, unknown>, unit: BusinessUnit): Problem[] {
  // Refused as a whole.
  if (!isRecord(PaymentFields) || Object.keys(PaymentFields).length > MAX_PAYMENT_FIELDS) return [];

  const configured = new Set(unit.paymentFields.map(({ key }) => key));
  return Object.entries(PaymentFields)
    .filter(([key, value]) => value !== null && !configured.has(key))
    .map(([key]) => ({
      code: 'not_allowed',
      field: `PaymentFields.${key}`,
      message: `PaymentFields.${key} is not configured for this business unit: omit it, or have the operator configure it.`,
    }));
}

/** `POST /integrations/embedded/query`: the state of a session. */
export const queryEndpoint: Endpoint<SessionQuery, SessionDetails> = {
  path: QUERY_ENDPOINT,
  slugField: 'BusinessUnitSlug',
  idempotent: false,
  read: (body) => readRequest(sessionQuerySchema, body),
  act: async (tx, { PaymentSessionIdentifier: id }, { unit, now }) => {
    const [session, attempts, at] = await Promise.all([tx.sessions.get(id), tx.attempts.ofSession(id), now]);
    if (session?.businessUnit !== unit.slug) throw unknownIdentifier('session');
    return sessionDetails(session, attempts, at);
  },
  respond: (details) => details,
};

/** `POST /integrations/embedded/query`: the state of a session. */
import { QUERY_ENDPOINT, type SessionDetails, type SessionQuery } from '@embedded-sessions/server-types';
import { readRequest, sessionQuerySchema } from '@embedded-sessions/server-types/schemas';
import { unknownIdentifier } from '../core/error.js';
import { sessionDetails } from './rules/session-details.js';
import type { Endpoint } from '../api/endpoint.js';

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

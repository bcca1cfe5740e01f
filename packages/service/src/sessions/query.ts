/** `POST /integrations/embedded/query`: the state of a session. */
import { QUERY_ENDPOINT, type SessionDetails, type SessionQuery } from '@embedded-sessions/server-types';
import { readRequest, sessionQuerySchema } from '@embedded-sessions/server-types/schemas';
import { ServiceError } from '../core/error.js';
import { sessionDetails } from './rules/session-details.js';
import type { Endpoint } from '../api/endpoint.js';

export const queryEndpoint: Endpoint<SessionQuery, SessionDetails> = {
  path: QUERY_ENDPOINT,
  slugField: 'BusinessUnitSlug',
  idempotent: false,
  read: (body) => readRequest(sessionQuerySchema, body),
  act: async (tx, { PaymentSessionIdentifier: id }, { unit, now }) => {
    const session = await tx.sessions.get(id);
    if (session === null || session.businessUnit !== unit.slug)
      throw new ServiceError(
        'not_found',
        'There is no session with this PaymentSessionIdentifier in this business unit.',
        { field: 'PaymentSessionIdentifier' },
      );
    return sessionDetails(session, await tx.attempts.ofSession(id), now);
  },
  answer: (details) => details,
};

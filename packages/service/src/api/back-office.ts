/** Shared by the back-office endpoints. */
import { BACK_OFFICE_ENDPOINTS, type BackOfficeCall } from '@embedded-sessions/server-types';
import type { BackOfficeRequests } from '../core/requests.js';
import { backOfficeSchemas, readRequest } from '@embedded-sessions/server-types/schemas';
import type { Operation } from '../processor/rules/operation.js';
import type { ProcessorCalls } from '../processor/calls.js';
import { inFlight, type ResponseContext, type Endpoint } from './endpoint.js';
import type { NumberFields } from './exact-numbers.js';

/** Maximum wait for the processor, real ms. After that, the response says `pending`. */
const MAX_WAIT_MS = 12_000;

/** Numbers that must be exact. */
export const AMOUNT_FIELD: NumberFields = { Amount: true };

export function backOfficeCall<C extends BackOfficeCall>(
  name: C,
): Pick<Endpoint<BackOfficeRequests[C], never>, 'path' | 'slugField' | 'read'> {
  return {
    path: BACK_OFFICE_ENDPOINTS[name],
    slugField: 'BusinessUnitSlug',
    read: (body) => readRequest(backOfficeSchemas[name], body),
  };
}

/** Derives an id from a request, so that retries get the same one. */
export function idForRequest(prefix: string, sessionId: string): string {
  return prefix + sessionId.slice(prefix.length);
}

/**
 * Waits a limited time for the processor's outcome. The request that created the record calls the processor; a replay only
 * waits, because another process may be calling it.
 * @throws ServiceError `idempotency_in_flight` while the first request may still be waiting there
 */
export async function awaitOutcome<R extends Operation>(
  calls: Pick<ProcessorCalls<R>, 'callAndWait' | 'wait'>,
  operation: R,
  isOwn: boolean,
  { leftMs, now }: ResponseContext,
): Promise<R> {
  if (operation.status !== 'processing') return operation;

  const waitMs = Math.min(MAX_WAIT_MS, leftMs());
  if (isOwn) return calls.callAndWait(operation, waitMs);

  const current = await calls.wait(operation, waitMs);
  const isFirstCall = current.status === 'processing' && current.lookups === 0;
  if (isFirstCall && now < current.createdAt + MAX_WAIT_MS) throw inFlight();
  return current;
}

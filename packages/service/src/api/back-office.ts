/** What the endpoints of the back office share. */
import { BACK_OFFICE_ENDPOINTS, type BackOfficeCall } from '@embedded-sessions/server-types';
import type { BackOfficeRequests } from '../core/requests.js';
import { backOfficeSchemas, readRequest } from '@embedded-sessions/server-types/schemas';
import type { Operation } from '../processor/rules/operation.js';
import type { ProcessorCalls } from '../processor/calls.js';
import type { AnswerContext, Endpoint } from './endpoint.js';
import type { KeptNumbers } from './exact-numbers.js';

/** Maximum wait of a caller for the processor, real ms. After that the response says `pending`. */
const MAX_WAIT_MS = 12_000;

/** Numbers that must arrive exactly. */
export const KEPT_AMOUNT: KeptNumbers = { Amount: true };

export function backOfficeCall<C extends BackOfficeCall>(
  name: C,
): Pick<Endpoint<BackOfficeRequests[C], never>, 'path' | 'slugField' | 'read'> {
  return {
    path: BACK_OFFICE_ENDPOINTS[name],
    slugField: 'BusinessUnitSlug',
    read: (body) => readRequest(backOfficeSchemas[name], body),
  };
}

/** A deterministic id per request, stable across retries. */
export function idOfRequest(prefix: string, sessionId: string): string {
  return prefix + sessionId.slice(prefix.length);
}

/**
 * Waits a while for the processor's outcome. A request that created the record calls the processor; a replay only
 * waits, because another process may be calling right now.
 */
export async function awaitOutcome<R extends Operation>(
  calls: Pick<ProcessorCalls<R>, 'ask' | 'follow'>,
  begun: R,
  isOwn: boolean,
  { leftMs }: AnswerContext,
): Promise<R> {
  if (begun.status !== 'processing') return begun;

  const waitMs = Math.min(MAX_WAIT_MS, leftMs());
  return isOwn ? calls.ask(begun, waitMs) : calls.follow(begun, waitMs);
}

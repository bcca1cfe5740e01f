/** What all lists of records have in common. */
import type { Context } from 'hono';
import { iso } from '../../core/day.js';
import { defined } from '../../core/defined.js';
import type { Queued } from '../../core/queue-rows.js';
import type { QueuedLine } from '../../shared/inspector.js';

export const MAX_LISTED = 200;
export const MISSING = 'Not found, or no longer stored.';

/** Valid record ids. Others are never looked up. */
export const ID = ':id{[\\w-]{1,100}}';
export const idOf = (c: Context): string => c.req.param('id') ?? '';

export function orMissing(c: Context, found: object | null | undefined): Response {
  return found ? c.json(found) : c.json({ error: MISSING }, 404);
}

/** A message to a merchant or payer. */
export function queuedLine(message: Queued): QueuedLine {
  const { id, businessUnit, status, attempts, createdAt, dueAt, lastError, sessionId } = message;
  return defined({
    id,
    businessUnit,
    status,
    attempts,
    createdAt: iso(createdAt),
    nextAt: status === 'pending' ? iso(dueAt) : undefined,
    sessionId,
    lastError,
  });
}

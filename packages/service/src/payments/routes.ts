/** `POST /integrations/payments/list`. */
import { defined } from '../core/defined.js';
import {
  BACK_OFFICE_ENDPOINTS,
  DEFAULT_LIST_LIMIT,
  type BackOfficeResponses,
  type PaymentStatus,
  type Problem,
} from '@embedded-sessions/server-types';
import type { BackOfficeRequests } from '../core/requests.js';
import { backOfficeSchemas, readRequest, type Read } from '@embedded-sessions/server-types/schemas';
import type { Endpoint } from '../api/endpoint.js';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { AttemptFilter, AttemptStatus } from './rules/attempt.js';
import { nextPage, readCursor, writeCursor, type Cursor } from './rules/list-cursor.js';

/** Payments without an outcome are listed as `pending`. */
const STATUSES: Readonly<Record<PaymentStatus, readonly AttemptStatus[]>> = {
  succeeded: ['succeeded'],
  declined: ['declined'],
  pending: ['pending', 'processing'],
  returned: ['returned'],
  scheduled: ['scheduled'],
  canceled: ['canceled'],
};

type ListRequest = Omit<BackOfficeRequests['list'], 'Cursor'> & { readonly cursor: Cursor };

/** reports an invalid cursor together with every other problem. */
function readList(body: unknown): Read<ListRequest> {
  const read = readRequest(backOfficeSchemas.list, body);
  const { Cursor: value } = (body ?? {}) as Partial<Record<string, unknown>>;
  const isText = typeof value === 'string' && value.trim() !== '';
  const cursor = isText ? readCursor(value) : { listed: [] };

  const problems: Problem[] = read.ok ? [] : read.problems;
  if (cursor === null && !problems.some(({ field }) => field === 'Cursor'))
    problems.push({
      code: 'invalid',
      field: 'Cursor',
      message: 'Cursor must be the unchanged NextCursor of the previous page.',
    });
  if (read.ok) problems.push(...rangeProblems(read.value));

  return read.ok && cursor !== null && problems.length === 0
    ? { ok: true, value: { ...read.value, cursor } }
    : { ok: false, problems };
}

/** Rejects a range that ends before it starts: an empty list would suggest that nothing was paid. */
function rangeProblems(request: Pick<ListRequest, 'From' | 'To'>): Problem[] {
  const { from, to } = spanOf(request);
  // NaN compares false, so open ranges are valid.
  if (!(Number(from) > Number(to))) return [];

  return [
    { code: 'invalid', field: 'From', message: 'From must not be after To.' },
    { code: 'invalid', field: 'To', message: 'To must not be before From.' },
  ];
}

function spanOf({ From, To }: Pick<ListRequest, 'From' | 'To'>): Pick<AttemptFilter, 'from' | 'to'> {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return defined({ from: timeOf(From), to: timeOf(To) });
}

export const listEndpoint: Endpoint<ListRequest, BackOfficeResponses['list']> = {
  path: BACK_OFFICE_ENDPOINTS.list,
  slugField: 'BusinessUnitSlug',
  idempotent: false,
  read: readList,

  act: async (
    tx,
    { Status, ClientReference, cursor, Limit = DEFAULT_LIST_LIMIT, ...ends },
    { unit, now },
  ) => {
    const filter = defined({
      businessUnit: unit.slug,
      ...spanOf(ends),
      statuses: Status && STATUSES[Status],
      clientReference: ClientReference,
      limit: Limit,
    });
    const { positions, next } = await nextPage(tx.attempts, filter, cursor, await now);
    const attempts = await tx.attempts.at(positions);
    return defined({ Payments: attempts.map(paymentIn), NextCursor: next && writeCursor(next) });
  },

  respond: (list) => list,
};

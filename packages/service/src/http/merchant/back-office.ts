/** What a merchant's back office asks about money. */
import {
  BACK_OFFICE_ENDPOINTS,
  DEFAULT_LIST_LIMIT,
  type BackOfficeAnswers,
  type BackOfficeCall,
  type BackOfficeRequests,
  type PaymentStatus,
  type Problem,
} from '@embedded-sessions/server-types';
import { backOfficeSchemas, readRequest, type Read } from '@embedded-sessions/server-types/schemas';
import type { Deps } from '../../deps.js';
import type { Asked } from '../../domain/asked.js';
import { endsTooSoon, type AttemptFilter, type AttemptStatus } from '../../domain/attempt.js';
import { ServiceError } from '../../domain/error.js';
import { given } from '../../domain/given.js';
import { nextPage, readCursor, writeCursor, type Cursor } from '../../domain/list-cursor.js';
import { paymentIn } from '../../domain/session-details.js';
import { beginAutopay } from '../../domain/transactions/autopay-charge.js';
import { cancelSession } from '../../domain/transactions/cancel.js';
import { beginRefund } from '../../domain/transactions/refund.js';
import type { Asking } from '../../processor/asking.js';
import type { Answering, Endpoint } from './endpoint.js';

/** How long a caller is kept waiting for the processor at most, real ms: what takes longer is told as `pending`. */
const WAIT_MS = 12_000;

type BackOffice = {
  readonly [C in Exclude<BackOfficeCall, 'list'>]: Endpoint<BackOfficeRequests[C], unknown>;
} & {
  readonly list: Endpoint<ListWish, unknown>;
};

export function backOffice(deps: Deps): BackOffice {
  return {
    refund: refundEndpoint(deps),
    cancel: cancelEndpoint(deps),
    list: listEndpoint(),
    charge: chargeEndpoint(deps),
  };
}

function call<C extends BackOfficeCall>(
  name: C,
): Pick<Endpoint<BackOfficeRequests[C], never>, 'path' | 'slugField' | 'read'> {
  return {
    path: BACK_OFFICE_ENDPOINTS[name],
    slugField: 'BusinessUnitSlug',
    read: (body) => readRequest(backOfficeSchemas[name], body),
  };
}

/** An id that is the same each time the request is acted upon. */
function made(prefix: string, sessionId: string): string {
  return prefix + sessionId.slice(prefix.length);
}

/** What is known of what a request began: its own is asked about, a replay's may be another's at this moment. */
async function known<R extends Asked>(
  asking: Asking<R>,
  begun: R,
  own: boolean,
  { origin, leftMs }: Answering,
): Promise<R> {
  if (begun.status !== 'processing') return begun;
  const waitMs = Math.min(WAIT_MS, leftMs());
  return own ? asking.for(origin).ask(begun, waitMs) : asking.for(origin).follow(begun, waitMs);
}

/** */
const AMOUNT = /^Amount$/;

function refundEndpoint({ refunding }: Deps): Endpoint<BackOfficeRequests['refund'], { id: string }> {
  return {
    ...call('refund'),
    numbers: AMOUNT,
    idempotent: true,
    act: async (tx, { PaymentIdentifier, Amount, Reason }, { unit, now, sessionId, repeated }) => {
      const id = made('ref_', sessionId);
      if (repeated && (await tx.refunds.get(id))) return { id };
      const wish = {
        id,
        businessUnit: unit.slug,
        paymentId: PaymentIdentifier,
        ...(Amount === undefined ? {} : { amount: Amount }),
        ...(Reason === undefined ? {} : { why: Reason }),
        canRefund: refunding.possible,
      };
      await beginRefund(tx, wish, now);
      return { id };
    },
    answer: async ({ id }, answering): Promise<BackOfficeAnswers['refund']> => {
      const begun = await answering.store.read((tx) => tx.refunds.get(id));
      if (begun === null) throw new Error('A refund that was committed is not in the database.');
      const isOwn = id === made('ref_', answering.sessionId);
      const refund = await known(refunding, begun, isOwn, answering);
      return {
        RefundIdentifier: refund.id,
        PaymentIdentifier: refund.attemptId,
        Amount: refund.amount,
        Status: refund.status === 'processing' ? 'pending' : refund.status,
        Refundable: refund.status === 'failed' ? refund.left + refund.amount : refund.left,
        ...(refund.status === 'failed' && refund.reason !== undefined ? { Reason: refund.reason } : {}),
      };
    },
  };
}

function cancelEndpoint({ newId }: Deps): Endpoint<BackOfficeRequests['cancel'], null> {
  return {
    ...call('cancel'),
    idempotent: true,
    act: async (tx, { PaymentSessionIdentifier }, { unit, now }) => {
      await cancelSession(tx, unit.slug, PaymentSessionIdentifier, { now, newId });
      return null;
    },
    answer: (): BackOfficeAnswers['cancel'] => ({ Status: 'Canceled' }),
  };
}

/** A payment whose outcome is not known yet is told as `pending`. */
const STATUSES: Readonly<Record<PaymentStatus, readonly AttemptStatus[]>> = {
  succeeded: ['succeeded'],
  declined: ['declined'],
  pending: ['pending', 'processing'],
  returned: ['returned'],
};

type ListWish = Omit<BackOfficeRequests['list'], 'Cursor'> & { readonly cursor: Cursor };

/** a cursor that is none is told with whatever else is wrong. */
function readList(body: unknown): Read<ListWish> {
  const read = readRequest(backOfficeSchemas.list, body);
  const { Cursor: given } = (body ?? {}) as Partial<Record<string, unknown>>;
  const isText = typeof given === 'string' && given.trim() !== '';
  const cursor = isText ? readCursor(given) : { told: [] };
  const problems: Problem[] = read.ok ? [] : read.problems;
  if (cursor === null && !problems.some(({ field }) => field === 'Cursor'))
    problems.push({
      code: 'invalid',
      field: 'Cursor',
      message: 'Cursor must be the NextCursor of the page before, as it came.',
    });
  if (read.ok) problems.push(...endBeforeBeginning(read.value));
  return read.ok && cursor !== null && problems.length === 0
    ? { ok: true, value: { ...read.value, cursor } }
    : { ok: false, problems };
}

function endBeforeBeginning(wish: Pick<ListWish, 'From' | 'To'>): Problem[] {
  const message = endsTooSoon(spanOf(wish), 'From', 'To');
  if (message === null) return [];
  return [
    { code: 'invalid', field: 'From', message },
    { code: 'invalid', field: 'To', message: 'To must not be before From.' },
  ];
}

function spanOf({ From, To }: Pick<ListWish, 'From' | 'To'>): Pick<AttemptFilter, 'from' | 'to'> {
  return {
    ...(From === undefined ? {} : { from: Date.parse(From) }),
    ...(To === undefined ? {} : { to: Date.parse(To) }),
  };
}

function listEndpoint(): Endpoint<ListWish, BackOfficeAnswers['list']> {
  return {
    path: BACK_OFFICE_ENDPOINTS.list,
    slugField: 'BusinessUnitSlug',
    idempotent: false,
    read: readList,
    act: async (
      tx,
      { Status, ClientReference, cursor, Limit = DEFAULT_LIST_LIMIT, ...ends },
      { unit, now },
    ) => {
      const filter = {
        businessUnit: unit.slug,
        ...spanOf(ends),
        ...(Status === undefined ? {} : { statuses: STATUSES[Status] }),
        ...(ClientReference === undefined ? {} : { clientReference: ClientReference }),
        limit: Limit,
      };
      const { attempts, next } = await nextPage(tx.attempts, filter, cursor, now);
      return {
        Payments: attempts.map(paymentIn),
        ...(next === undefined ? {} : { NextCursor: writeCursor(next) }),
      };
    },
    answer: (list) => list,
  };
}

function chargeEndpoint({
  charging,
  processor,
}: Deps): Endpoint<BackOfficeRequests['charge'], { id: string }> {
  return {
    ...call('charge'),
    numbers: AMOUNT,
    idempotent: true,
    act: async (tx, request, { unit, now, sessionId, repeated }) => {
      const { AccountNumber, SubAccountNumber = '', Amount, ClientReference, Description } = request;
      const id = made('pay_', sessionId);
      if (repeated && (await tx.attempts.get(id))) return { id };
      if (processor === null)
        throw new ServiceError(
          'unavailable',
          'This service runs without a payment processor: nothing can be charged.',
        );
      const wish = {
        id,
        businessUnit: unit.slug,
        account: { accountNumber: AccountNumber, subAccountNumber: SubAccountNumber },
        amount: Amount,
        clientReference: ClientReference,
        ...given({ descriptor: Description }),
        methods: unit.paymentMethods,
      };
      await beginAutopay(tx, wish, now);
      return { id };
    },
    answer: async ({ id }, answering): Promise<BackOfficeAnswers['charge']> => {
      const begun = await answering.store.read((tx) => tx.attempts.get(id));
      if (begun === null) throw new Error('A charge that was committed is not in the database.');
      const isOwn = id === made('pay_', answering.sessionId);
      const { status } = await known(charging, begun, isOwn, answering);
      return { PaymentIdentifier: id, Status: status === 'processing' ? 'pending' : status };
    },
  };
}

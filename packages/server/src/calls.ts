/** The parts that all calls share, and the calls that create no session. */
import {
  EVENTS_ENDPOINT,
  type EventPayloads,
  type EventType,
  type ListRequest,
  type Payment,
  type PaymentList,
} from '@embedded-sessions/server-types';
import { untilAborted } from './deadline.js';
import { asServiceError, ServiceError } from './error.js';
import { type CallContext, send, type Sent, startCall } from './request.js';
import { sessionEnvironment, type Settings } from './settings.js';
import type {
  CallOptions,
  EventOf,
  EventResult,
  ServiceClientOptions,
  ServicePromise,
  WithResponse,
  WriteOptions,
} from './surface.js';

/** Reads a response with a function that may be the caller's. Converts its errors to protocol errors. */
export const readWith = <T>(
  { total }: CallContext,
  { status, requestId, attempts }: Sent,
  message: string,
  reader: () => T | Promise<T>,
): Promise<WithResponse<T>> =>
  untilAborted(total.signal, async () => {
    try {
      return { data: await reader(), status, requestId, attempts };
    } catch (cause) {
      throw new ServiceError('protocol', message, { cause, status, requestId });
    }
  });

/** Returns a promise for the data with `withResponse()`. Rejects only with a ServiceError. */
export function servicePromise<T>(work: () => Promise<WithResponse<T>>): ServicePromise<T> {
  const sent = (async () => work())().catch((cause: unknown) => {
    throw asServiceError(cause);
  });
  const promise = sent.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: () => {
      promise.catch(() => undefined); // the caller gets the same rejection from `sent`
      return sent;
    },
  });
}

/** Sends an event with its payload as a JSON string. */
export function pushEvent<E extends EventType>(
  settings: Settings,
  { readEvent }: Pick<ServiceClientOptions, 'readEvent'>,
  eventType: E,
  event: EventOf<EventPayloads[E]>,
  options: WriteOptions,
): Promise<WithResponse<EventResult>> {
  const { businessUnitSlug, ...rest } = event;
  const payload: EventPayloads[EventType] = 'payload' in rest ? rest.payload : rest;

  const body = { eventType, payload: JSON.stringify(payload), businessUnitSlug };
  // Without a key, a retry would also undo what the payer has changed since the first attempt.
  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();

  return startCall(settings, options, async (context) => {
    const sent = await send(context, { path: EVENTS_ENDPOINT, body, idempotencyKey, anyBody: true });
    return readWith(context, sent, 'readEvent failed: see cause.', async () => {
      const { status, raw } = sent;
      await readEvent?.({ status, body: raw });
      return { raw };
    });
  });
}

/**
 * Calls the query or the back office, which only this project's service has. Calls that change something need an
 * `idempotencyKey`, which every attempt uses.
 */
export function callForData<T>(
  settings: Settings,
  path: string,
  request: object,
  options: CallOptions,
  idempotencyKey?: string,
): Promise<WithResponse<T>> {
  sessionEnvironment(settings);

  return startCall(settings, options, async (context) => {
    const sent = await send(context, { path, body: request, idempotencyKey });
    return readWith(context, sent, 'The response has no data: check baseUrl.', () => {
      if (Object(sent.data) !== sent.data) throw new Error('not an object');
      return sent.data as T;
    });
  });
}

/**
 * Yields every payment of a list. Requests each page only when it is needed.
 *
 * @throws ServiceError of kind `protocol` if a page has no `Payments`, is empty but has a cursor, or repeats a cursor
 */
export async function* everyPayment(
  list: (request: ListRequest) => Promise<PaymentList>,
  request: ListRequest,
): AsyncGenerator<Payment, void, undefined> {
  const seen = new Set<ListRequest['Cursor']>();
  let page = request;

  for (;;) {
    seen.add(page.Cursor);
    const { Payments, NextCursor } = await list(page);
    if (!Array.isArray(Payments))
      throw new ServiceError('protocol', 'The response has no payments: check baseUrl.');

    yield* Payments;

    // An operator may send null instead of omitting the cursor.
    if (!NextCursor) return;
    if (Payments.length === 0 || seen.has(NextCursor))
      throw new ServiceError('protocol', 'NextCursor leads nowhere: tell the operator.');

    page = { ...request, Cursor: NextCursor };
  }
}

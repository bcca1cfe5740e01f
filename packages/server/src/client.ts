import {
  type EventPayloads,
  type EventType,
  type Flow,
  QUERY_ENDPOINT,
  type SessionResponses,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import {
  BACK_OFFICE_ENDPOINTS,
  type BackOfficeResponses,
  type BackOfficeCall,
  type BackOfficeRequests,
} from '@embedded-sessions/server-types/back-office';
import { callForData, everyPayment, pushEvent, servicePromise } from './calls.js';
import { createSession } from './sessions.js';
import { refuseBrowser, settingsOf } from './settings.js';
import type {
  ServicePromise,
  DevelopmentClient,
  EventOf,
  ServiceClient,
  ServiceClientOptions,
  Sessions,
  WriteOptions,
} from './surface.js';

/**
 * Creates a client of the session API and the Events API, for a merchant's backend. Throws a `ServiceError` of kind
 * `configuration` if the options are wrong, and in a browser. Sends nothing yet.
 *
 * @example
 * const client = createServiceClient({
 *   environment: 'staging',
 *   baseUrl: process.env.SERVICE_BASE_URL,
 *   apiKey: process.env.SERVICE_API_KEY,
 * });
 * const session = await client.payments.create({
 *   BusinessUnitSlug: 'harborlight-water',
 *   Channel: 'QuickPay',
 *   Charges: [{ Amount: 12_345 }],
 * });
 * response.json({ sessionUrl: session.sessionUrl, environment: session.environment });
 */
export function createServiceClient(
  options: ServiceClientOptions & { environment: 'development' },
): DevelopmentClient;
export function createServiceClient(options: ServiceClientOptions): ServiceClient;
export function createServiceClient(options: ServiceClientOptions): ServiceClient | DevelopmentClient {
  refuseBrowser();
  // Keep the API key in this closure, so that callers can't reach or print it.
  const own = { ...options };
  const settings = settingsOf(own);

  const sessions = <F extends Flow>(flow: F): Sessions<SessionRequests[F], SessionResponses[F]> => ({
    create: (request, call = {}) => servicePromise(() => createSession(settings(), own, flow, request, call)),
  });
  const push =
    <E extends EventType>(type: E) =>
    (event: EventOf<EventPayloads[E]>, call: WriteOptions = {}) =>
      servicePromise(() => pushEvent(settings(), own, type, event, call));

  const backOffice =
    <C extends BackOfficeCall>(name: C) =>
    (request: BackOfficeRequests[C], call: WriteOptions = {}): ServicePromise<BackOfficeResponses[C]> =>
      servicePromise(() => {
        const key = name === 'list' ? undefined : (call.idempotencyKey ?? crypto.randomUUID());
        return callForData(settings(), BACK_OFFICE_ENDPOINTS[name], request, call, key);
      });
  const list = backOffice('list');
  const cancelSession = backOffice('cancel');
  const sessionOf = (slug: string, id: string) => ({ BusinessUnitSlug: slug, PaymentSessionIdentifier: id });

  return {
    get environment() {
      return own.environment ?? settings().environment;
    },
    payments: {
      ...sessions('payment'),
      refund: backOffice('refund'),
      list,
      cancel: backOffice('cancelPayment'),
      all: (request, call) => everyPayment((page) => list(page, call), request),
    },
    autopay: { ...sessions('autopay'), charge: backOffice('charge') },
    wallet: sessions('wallet'),
    paperless: sessions('paperless'),
    schedulePayment: sessions('schedule-payment'),
    scheduledPayments: sessions('scheduled-payments'),
    notifications: sessions('notifications'),
    events: {
      manageCustomer: push('Accounts.ManageCustomer'),
      unenrollAutopay: push('Accounts.UnenrollAutopay'),
    },
    sessions: {
      retrieve: (slug, id, call = {}) =>
        servicePromise(() => callForData(settings(), QUERY_ENDPOINT, sessionOf(slug, id), call)),
      cancel: (slug, id, call) => cancelSession(sessionOf(slug, id), call),
    },
  };
}

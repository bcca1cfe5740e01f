import {
  BACK_OFFICE_ENDPOINTS,
  type BackOfficeAnswers,
  type BackOfficeCall,
  type BackOfficeRequests,
  type EventPayloads,
  type EventType,
  type Flow,
  QUERY_ENDPOINT,
  type SessionAnswers,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import { ask } from './ask.js';
import { refuseBrowser } from './environment.js';
import { pushEvent } from './events.js';
import { everyPayment } from './every-payment.js';
import { createSession } from './sessions.js';
import { settingsOf } from './settings.js';
import type {
  Answer,
  CallOptions,
  DevelopmentClient,
  EventOf,
  ServiceClient,
  ServiceClientOptions,
  Sessions,
  WriteOptions,
} from './surface.js';
import { answerOf } from './with-response.js';

/**
 * A client of the session API and the Events API, for a merchant's backend. Sends nothing yet; throws a `ServiceError`
 * of kind `configuration` where the options cannot work, and in a browser.
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
  // Kept in this closure, which nothing prints: the API key is in no object that a caller can reach.
  const given = { ...options };
  const settings = settingsOf(given);

  const sessions = <F extends Flow>(flow: F): Sessions<SessionRequests[F], SessionAnswers[F]> => ({
    create: (request, call = {}) => answerOf(() => createSession(settings(), given, flow, request, call)),
  });
  const push =
    <E extends EventType>(type: E) =>
    (event: EventOf<EventPayloads[E]>, call: CallOptions = {}) =>
      answerOf(() => pushEvent(settings(), given, type, event, call));

  const office =
    <C extends BackOfficeCall>(name: C) =>
    (request: BackOfficeRequests[C], call: WriteOptions = {}): Answer<BackOfficeAnswers[C]> =>
      answerOf(() => {
        const key = name === 'list' ? undefined : (call.idempotencyKey ?? crypto.randomUUID());
        return ask(settings(), BACK_OFFICE_ENDPOINTS[name], request, call, key);
      });
  const [list, cancel] = [office('list'), office('cancel')];
  const named = (slug: string, id: string) => ({ BusinessUnitSlug: slug, PaymentSessionIdentifier: id });

  return {
    get environment() {
      return given.environment ?? settings().environment;
    },
    payments: {
      ...sessions('payment'),
      refund: office('refund'),
      list,
      all: (request, call) => everyPayment((page) => list(page, call), request),
    },
    autopay: { ...sessions('autopay'), charge: office('charge') },
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
        answerOf(() => ask(settings(), QUERY_ENDPOINT, named(slug, id), call)),
      cancel: (slug, id, call) => cancel(named(slug, id), call),
    },
  };
}

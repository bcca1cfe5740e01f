/**
 * The API between the inspector's page and the service. Instants are ISO 8601 in UTC, amounts cents.
 * Nothing here contains an API key, a session secret, a webhook secret or a card number.
 *
 * | request | response |
 * |---|---|
 * | `GET /events` (`text/event-stream`, `Last-Event-ID`) | one `InspectorEvent` per message; all of them if events after that id were dropped |
 * | `GET /events?kind=&session=&after=` | `InspectorEvent[]` |
 * | `GET /requests`, `GET /requests/{id}` | `RequestLine[]`, `RequestRecord` |
 * | `GET /sessions`, `GET /sessions/{id}` | `SessionLine[]`, `SessionRecord` |
 * | `POST /sessions/{id}/cancel`, `…/expire`, `…/open`, `…/pay` `{ last4 }` or `{ number }`, `…/refund` `{ paymentId, amount? }` | `Sent`, `{ url }` for `open` |
 * | `GET /webhooks`, `GET /webhooks/{id}` | `WebhookLine[]`, `WebhookRecord` |
 * | `POST /webhooks/{id}/sent` | `SentWebhook`: freshly signed |
 * | `POST /webhooks/{id}/resend`, `POST /webhooks/enable` `{ businessUnit }` | `{}` |
 * | `GET /mail`, `GET /mail/{id}` | `MailLine[]`, `MailRecord` |
 * | `GET /clock`, `POST /clock` `{ advance }`, `{ to }` or `{ reset: true }` | `ClockView` |
 * | `GET /faults`, `POST /faults` `FaultInput`, `DELETE /faults` | `FaultView[]` |
 * | `GET /try`, `POST /try` `{ path, body }` | `Form[]`, `Sent` |
 * | `GET /about` | `About` |
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Number of recent events that the service and the page keep. */
export const MAX_EVENTS = 10_000;

export type EventKind =
  | 'request'
  | 'page'
  | 'session'
  | 'payment'
  | 'processor'
  | 'webhook'
  | 'message'
  | 'account'
  | 'fault'
  | 'clock';

export interface InspectorEvent {
  /** Increases by one; ids of an earlier process are smaller. */
  id: number;
  /** Real time. */
  at: string;
  /** Time on the service's clock, which may have been moved. */
  clock: string;
  kind: EventKind;
  level: 'info' | 'error';
  title: string;
  businessUnit?: string;
  sessionId?: string;
  requestId?: string;
  webhookId?: string;
  /** A message to a payer. */
  mailId?: string;
  /** Set if a webhook is about to be sent or resent. */
  isDue?: true;
}

export interface RequestLine {
  id: string;
  at: string;
  clock: string;
  method: string;
  /** Without the query. */
  path: string;
  /** Absent while the request runs, or if the connection was dropped. */
  status?: number;
  ms?: number;
  businessUnit?: string;
  sessionId?: string;
  codes: string[];
}

/** A record that a request changed: its fields before, unless it is new, and after. */
export interface Change {
  what: string;
  id: string;
  was?: Json;
  is: Json;
}

export interface RequestRecord extends RequestLine {
  idempotencyKey?: string;
  body?: Json;
  answer?: Json;
  changes: Change[];
  /** API calls only. `$SERVICE_API_KEY` replaces the key, `…` replaces hidden values. */
  curl?: string;
}

export interface SessionLine {
  id: string;
  flow: string;
  status: string;
  businessUnit: string;
  createdAt: string;
  expiresAt: string;
  /** Sum of the charges, cents; payments only. */
  amount?: number;
  /** The customer's e-mail address, or else the account's name. */
  customer?: string;
}

export interface SessionRecord extends SessionLine {
  request: Json;
  accounts: Change[];
  payments: {
    id: string;
    amount: number;
    refunded: number;
    method: string;
    status: string;
    last4: string;
    createdAt: string;
    lookups: number;
    /** Time of the next lookup, if there is one. */
    dueAt?: string;
    reason?: string;
    reference?: string;
  }[];
  webhooks: WebhookLine[];
  events: InspectorEvent[];
}

/** A webhook or message, sent with retries. */
export interface QueuedLine {
  id: string;
  businessUnit: string;
  status: string;
  attempts: number;
  sessionId?: string;
  createdAt: string;
  /** Time of the next attempt, if there is one. */
  nextAt?: string;
  lastError?: string;
}

export interface WebhookLine extends QueuedLine {
  type: string;
}

export interface WebhookRecord extends WebhookLine {
  url?: string;
  body: Json;
  /** Deliveries by this process, oldest first. */
  tries: WebhookTry[];
  /** Delivery is disabled because the address returned 410. */
  silenced: boolean;
}

export interface WebhookTry {
  at: string;
  clock: string;
  ms: number;
  /** HTTP status; absent if there was no response. */
  status?: number;
  error?: string;
  /** The start of the response body. */
  answer?: string;
}

export interface SentWebhook {
  headers: Record<string, string>;
  body: string;
}

/** A message to a payer. */
export interface MailLine extends QueuedLine {
  kind: string;
  channel: 'email' | 'sms';
  to: string;
  subject: string;
}

export interface MailRecord extends MailLine {
  language: string;
  /** The text part of an e-mail, or the SMS. */
  text: string;
  /** E-mail only: the path of its HTML, for a frame. It needs no token. */
  html?: string;
}

export interface ClockView {
  now: string;
  offsetMs: number;
}

/** A fault to inject. */
export interface FaultInput {
  kind: 'latency' | 'status' | 'drop-before-commit' | 'drop-after-commit';
  /** Default: 1. */
  times?: number;
  // Example: the path of a page's payment is "/s/*/api/pay", which a block comment cannot contain.
  /** A path or its first segments; `*` matches one segment. Default: any request of the API and of the pages. */
  path?: string;
  /** `latency` only, ms. */
  ms?: number;
  /** `status` only. */
  status?: number;
}

export interface FaultView extends Omit<FaultInput, 'times'> {
  left: number;
}

export interface Form {
  path: string;
  title: string;
  example: { [name: string]: Json };
}

export interface Sent {
  ok: boolean;
  /** 0 if the connection was dropped. */
  status: number;
  message?: string;
  requestId?: string;
  sessionId?: string;
  answer?: Json;
}

export interface About {
  environment: string;
  url: string;
  businessUnits: { slug: string; name: string }[];
  /** The reviewer of each language's texts; null if nobody has reviewed them. */
  languages: { language: string; reviewedBy: string | null }[];
  testSources: readonly TestSource[];
}

/** A test card or bank account. The page receives only the last digits. */
export interface TestSource {
  kind: 'Card' | 'Bank';
  last4: string;
  does: string;
}

/**
 * A code in words for the inspector: `payment-failed` as "Payment failed", `not_configured` as "Not configured", and
 * `RequiresPaymentSource` as "Requires payment source".
 */
export function labelOf(code: string): string {
  const words = code
    .replaceAll(/[-_]/g, ' ')
    .replace(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
    .replace(/^autopay/, 'AutoPay');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

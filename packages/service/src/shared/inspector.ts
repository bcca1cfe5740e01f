/**
 * What the inspector's page and a running service say to each other: types only. Instants are ISO 8601 in UTC,
 * amounts cents. Nothing here holds an API key, a session's secret, a webhook's secret or a card number.
 *
 * | request | answer |
 * |---|---|
 * | `GET /events` (`text/event-stream`, `Last-Event-ID`) | one `InspectorEvent` per message; first one named `missing`, where some after that id are gone |
 * | `GET /events?kind=&businessUnit=&session=&after=` | `InspectorEvent[]` |
 * | `GET /requests`, `GET /requests/{id}` | `RequestLine[]`, `RequestRecord` |
 * | `POST /requests/{id}/resend` `{ key: 'same' \| 'new' }` | `Sent` |
 * | `GET /sessions`, `GET /sessions/{id}` | `SessionLine[]`, `SessionRecord` |
 * | `POST /sessions/{id}/cancel`, `…/expire`, `…/open`, `…/pay` `PaySource`, `…/refund` `{ paymentId, amount? }` | `Sent`, `{ url }` for `open` |
 * | `GET /webhooks`, `GET /webhooks/{id}` | `WebhookLine[]`, `WebhookRecord` |
 * | `POST /webhooks/{id}/sent`, `…/curl` | `SentWebhook`, `{ curl }`: signed a moment ago |
 * | `POST /webhooks/{id}/resend`, `POST /webhooks/recover` `{ businessUnit, since }`, `POST /webhooks/enable` `{ businessUnit }` | `Sent` |
 * | `GET /clock`, `POST /clock` `{ advance }`, `{ to }`, `{ next: true }` or `{ reset: true }` | `ClockView` |
 * | `GET /faults`, `POST /faults` `FaultWish`, `DELETE /faults` | `FaultView[]` |
 * | `GET /try`, `POST /try` `{ path, body }` | `Form[]`, `Sent` |
 * | `GET /about` | `About` |
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** As many of the last events as the service keeps, and the page shows. */
export const MOST_EVENTS = 10_000;

export const EVENT_KINDS = [
  'request',
  'page',
  'session',
  'payment',
  'processor',
  'webhook',
  'account',
  'fault',
  'clock',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface InspectorEvent {
  /** Rises by one; an earlier process of the service had smaller ones. */
  id: number;
  /** Real time. */
  at: string;
  /** The service's clock, which may have been moved. */
  clock: string;
  kind: EventKind;
  level: 'info' | 'error';
  title: string;
  businessUnit?: string;
  sessionId?: string;
  requestId?: string;
  webhookId?: string;
  /** Of a webhook that is to be sent: a new one, or one that is sent again. */
  isDue?: true;
}

/** In an event stream, for those who want to know it: all that had happened has been told, what follows happens now. */
export const TOLD = ': told\n\n';

/**
 * What the text of an event stream tells, as it comes in parts. `missing`: events before the next are gone; `told`: those
 * before it had happened already.
 */
export async function* eventsIn(
  parts: AsyncIterable<string>,
): AsyncGenerator<InspectorEvent | 'missing' | 'told'> {
  let rest = '';
  for await (const part of parts) {
    const messages = (rest + part).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: ?(.*)$/m.exec(message)?.[1];
      if (`${message}\n\n` === TOLD) yield 'told';
      else if (/^event: ?missing$/m.test(message)) yield 'missing';
      else if (data !== undefined) yield JSON.parse(data) as InspectorEvent;
    }
  }
}

export interface RequestLine {
  id: string;
  at: string;
  clock: string;
  method: string;
  /** Without query. */
  path: string;
  /** Absent while it runs, or where the connection was dropped. */
  status?: number;
  ms?: number;
  businessUnit?: string;
  sessionId?: string;
  /** Codes of a refusal. */
  codes: string[];
}

/** A record that a request wrote: each field as it was and as it is. */
export interface Change {
  what: string;
  id: string;
  action: 'insert' | 'update';
  fields: { name: string; from?: Json; to?: Json }[];
}

export interface RequestRecord extends RequestLine {
  idempotencyKey?: string;
  body?: Json;
  answer?: Json;
  changes: Change[];
  /** It can be sent again: requests of the API can, of which nothing had to be left out. */
  resendable: boolean;
  /** With `$SERVICE_API_KEY` in place of the key, and `…` for what was left out; absent where it was no call of the API. */
  curl?: string;
  typescript?: string;
}

export interface SessionLine {
  id: string;
  flow: string;
  status: string;
  businessUnit: string;
  createdAt: string;
  expiresAt: string;
}

export interface SessionRecord extends SessionLine {
  /** Every state of its flow, in the order of the diagram. */
  states: string[];
  request: Json;
  accounts: Change[];
  payments: {
    id: string;
    amount: number;
    refunded: number;
    method: string;
    status: string;
    last4: string;
    lookups: number;
    dueAt?: string;
    reason?: string;
    reference?: string;
  }[];
  webhooks: WebhookLine[];
  events: InspectorEvent[];
}

export interface WebhookLine {
  id: string;
  businessUnit: string;
  type: string;
  status: string;
  attempts: number;
  sessionId?: string;
  createdAt: string;
  /** When it is tried next; absent where it is not. */
  nextAt?: string;
  lastError?: string;
}

export interface WebhookRecord extends WebhookLine {
  url?: string;
  body: Json;
  /** Those of this process, oldest first. */
  tries: WebhookTry[];
  /** The address answered 410 and gets nothing until it is enabled. */
  silenced: boolean;
}

/** One attempt to deliver a webhook. */
export interface WebhookTry {
  at: string;
  clock: string;
  ms: number;
  /** HTTP status; absent where there was no answer. */
  status?: number;
  /** Why there was none. */
  error?: string;
  /** How its answer begins. */
  answer?: string;
}

/** A webhook as it goes out. */
export interface SentWebhook {
  headers: Record<string, string>;
  body: string;
}

export interface ClockView {
  now: string;
  offsetMs: number;
  due: { at: string; what: string; sessionId?: string; webhookId?: string }[];
}

export interface FaultView {
  kind: string;
  left: number;
  path?: string;
  ms?: number;
  status?: number;
}

/** What is to go wrong: `ms` goes with `latency`, `status` with `status`. */
export interface FaultWish {
  kind: 'latency' | 'status' | 'drop-before-commit' | 'drop-after-commit';
  /** Default: 1. */
  times?: number;
  /** A path or its beginning, `*` for one segment; default: any request. */
  path?: string;
  ms?: number;
  status?: number;
}

export interface Form {
  path: string;
  title: string;
  /** JSON Schema of the body, complete in itself. */
  schema: Json;
  example: Json;
}

/** What became of something that was asked for. */
export interface Sent {
  ok: boolean;
  /** 0 where the connection was dropped. */
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
  testCards: TestSource[];
  testAccounts: TestSource[];
}

/** A test card or bank account, of which the page is told no more than its last digits. */
export interface TestSource {
  last4: string;
  does: string;
}

/** The test card or bank account that a session is paid with; a tool may name its `number` in place of `last4`. */
export interface PaySource {
  last4: string;
  method: 'Credit Card' | 'ACH';
}

/** The public types of the client: its options, its hooks, its methods, and their results. */
import type {
  Envelope,
  Flow,
  ManageCustomerPayload,
  Payment,
  SessionResponses,
  SessionDetails,
  SessionRequests,
  UnenrollAutopayPayload,
} from '@embedded-sessions/server-types';
import type {
  AutopayCharge,
  AutopayChargeRequest,
  CanceledPayment,
  CanceledSession,
  CancelPaymentRequest,
  ListRequest,
  PaymentList,
  Refund,
  RefundRequest,
} from '@embedded-sessions/server-types/back-office';
import type { Attempt, ServiceError } from './error.js';

/** An environment of the service. `development` serves the Events API only. */
export type Environment = 'development' | 'staging' | 'production';

/** Timeouts and retries of a client or of a single call. */
export interface Limits {
  /** Milliseconds per attempt, up to the last byte of its response. Default: 15,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds for all attempts and waits together, including your own functions. Default: 45,000. */
  totalTimeoutMs?: number | undefined;
  /** Retries after a transient failure. Default: 2; 0 turns them off. */
  maxRetries?: number | undefined;
}

/** Like the platform's `fetch`, called with a single `Request`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** A request as passed to hooks: without API key and body. */
export interface RequestInfo {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Starts at 1. */
  readonly attempt: number;
}

/** The end of an attempt as passed to hooks: without the body. */
export interface ResponseInfo extends Readonly<Attempt> {
  readonly url: string;
  readonly attempt: number;
  readonly requestId?: string | undefined;
  /** Whether another attempt follows. */
  readonly willRetry: boolean;
}

/**
 * Observes a call without affecting it. The client doesn't wait for a hook's promise, and logs errors to the console.
 */
export type Hook<T> = (info: T) => unknown;

/** A session as `readSession` returns it. */
export interface ReadSession {
  sessionUrl: string;
  sessionId?: string;
  status?: string;
}

/**
 * Options of {@link createServiceClient}. `apiKey` and `baseUrl` may be missing when you create the client, as in a build
 * without secrets. Then the first call rejects with kind `configuration`.
 */
export interface ServiceClientOptions extends Limits {
  /** Required unless `baseUrl` is listed in `baseUrls`. Never guessed. */
  environment?: Environment | undefined;
  /** The API base URL: `https:`, or `http:` on loopback. Optional if `baseUrls` has it. */
  baseUrl?: string | undefined;
  /** The base URLs of all environments, if you know them in advance. */
  baseUrls?: Partial<Record<Environment, string | undefined>> | undefined;
  /** The secret key of this environment, or a function that fetches it for each attempt. */
  apiKey: string | (() => Promise<string>) | undefined;
  /**
   * Sends requests in another way, for example to a service in the same process. Default: `node:http` on Node, `fetch`
   * elsewhere.
   */
  fetch?: Fetch | undefined;
  /** Called before each attempt, without the API key. */
  onRequest?: Hook<RequestInfo> | undefined;
  /** Called after each attempt. */
  onResponse?: Hook<ResponseInfo> | undefined;
  /** Reads an operator's own response of a session endpoint. Default: `PaymentLogInLink` and the fields next to it. */
  readSession?: ((flow: Flow, data: unknown) => ReadSession | Promise<ReadSession>) | undefined;
  /**
   * Checks an operator's own response of the Events API, and throws if it is an error. Default: every 2xx without
   * `hasErrors` is a success.
   */
  readEvent?: ((response: EventResponse) => void | Promise<void>) | undefined;
  /** Checks the rules that span fields before sending anything. Default: `true`. */
  preflight?: boolean | undefined;
}

/** Options of one call. */
export interface CallOptions extends Limits {
  signal?: AbortSignal | undefined;
}

/** A `ClientReference` that was already taken. */
export interface ReferenceConflict {
  reference: string;
  /** Whether an earlier attempt of the same call may have taken it. */
  ambiguous: boolean;
  attempts: readonly Attempt[];
  error: ServiceError<'referenceConflict'>;
}

/** Options of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /** The `Idempotency-Key` of every attempt. Default: random. Set your own to be able to retry later. */
  idempotencyKey?: string | undefined;
}

/** Options of `create`. */
export interface CreateOptions extends WriteOptions {
  /** Checks the rules that span fields before sending anything. Default: the client's setting. */
  preflight?: boolean | undefined;
  /** Returns another reference to try, or nothing to give up. Called at most three times. */
  onReferenceConflict?:
    | ((conflict: ReferenceConflict) => string | undefined | Promise<string | undefined>)
    | undefined;
}

/** A created session. The page can use it as a `SessionRef`. */
export interface CreatedSession<T> {
  /** `PaymentSessionIdentifier`: store it. */
  sessionId: string;
  /** Send it only to the page that opens it: anyone who has it can act as the payer. */
  sessionUrl: string;
  environment: Exclude<Environment, 'development'>;
  /** ISO 8601, UTC. */
  expiresAt: string;
  /** Milliseconds, from the moment `create` resolves. */
  expiresInMs: number;
  status: string;
  /** The raw envelope. */
  raw: Envelope<T>;
}

/** The result of `withResponse()`. */
export interface WithResponse<T> {
  data: T;
  /** HTTP status. */
  status: number;
  /** The service's id for the request. Give it to the operator for support. */
  requestId: string | undefined;
  /** Every attempt, oldest first, as in a `ServiceError`. */
  attempts: readonly Attempt[];
}

/** A promise for the data. `withResponse()` also returns the status, request id and attempts. */
export interface ServicePromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

/** The methods of one flow. */
export interface Sessions<R, T> {
  /** Creates a session; rejects with a `ServiceError`. */
  create(request: R, options?: CreateOptions): ServicePromise<CreatedSession<T>>;
}

/** An event: the business unit and the payload, as an object. The client sends it as a JSON string (E-1). */
export type EventOf<P> = { businessUnitSlug: string } & (P | { payload: P });

/** A response to an event, for `readEvent`. */
export interface EventResponse {
  /** HTTP status, 2xx. */
  status: number;
  /** The parsed JSON, or the text if it is not JSON. Empty without a body. */
  body: unknown;
}

/** The result of an accepted event. */
export interface EventResult {
  /** The raw envelope. */
  raw: unknown;
}

/** The Events API. Await each event of an account before you send the next one: calls can overtake each other. */
export interface Events {
  /** `Accounts.ManageCustomer`: creates or updates a customer account (E-2, E-3). */
  manageCustomer(event: EventOf<ManageCustomerPayload>, options?: WriteOptions): ServicePromise<EventResult>;
  /** `Accounts.UnenrollAutopay`: unenrolls an account from AutoPay (E-4). */
  unenrollAutopay(
    event: EventOf<UnenrollAutopayPayload>,
    options?: WriteOptions,
  ): ServicePromise<EventResult>;
}

/** The client of `development`, which serves the Events API only. */
export interface DevelopmentClient {
  readonly environment: 'development';
  readonly events: Events;
}

/** The client's property for each flow. */
export interface FlowProperties {
  payment: 'payments';
  autopay: 'autopay';
  wallet: 'wallet';
  paperless: 'paperless';
  'schedule-payment': 'schedulePayment';
  'scheduled-payments': 'scheduledPayments';
  notifications: 'notifications';
}

/** The methods of every flow. */
export type FlowClients = {
  readonly [F in Flow as FlowProperties[F]]: Sessions<SessionRequests[F], SessionResponses[F]>;
};

/** Payments. Not part of the contract: only this project's service has them. */
export interface Payments {
  /**
   * Refunds a payment, in whole or in part. Rejects with kind `validation` and code `not_refundable` if the payment
   * has not succeeded, or `invalid` on `Amount` if less remains. A webhook reports the result of a `pending` refund.
   *
   * @example
   * const { Status, Refundable } = await client.payments.refund({
   *   BusinessUnitSlug: 'harborlight-water',
   *   PaymentIdentifier: payment.Id,
   *   Amount: 2_500,
   * });
   */
  refund(request: RefundRequest, options?: WriteOptions): ServicePromise<Refund>;
  /** One page of payments, oldest first. */
  list(request: ListRequest, options?: CallOptions): ServicePromise<PaymentList>;
  /**
   * Iterates over every payment of a list, page by page. The limits apply to each page. If a page fails, the loop rejects
   * with its `ServiceError`.
   *
   * @example
   * for await (const payment of client.payments.all({ BusinessUnitSlug: 'harborlight-water', From: '2026-11-01' }))
   *   total += (payment.Status === 'succeeded' ? payment.Amount : 0) - payment.Refunded;
   */
  all(request: ListRequest, options?: CallOptions): AsyncIterable<Payment>;
  /**
   * Cancels an AutoPay charge (see `ChargeOn`) or a payment that a payer has scheduled, before its day. Rejects with kind
   * `validation` and code `not_cancelable` afterwards, and for any other payment.
   *
   * @example
   * await client.payments.cancel({ BusinessUnitSlug: 'harborlight-water', PaymentIdentifier: charge.PaymentIdentifier });
   */
  cancel(request: CancelPaymentRequest, options?: WriteOptions): ServicePromise<CanceledPayment>;
}

/** Charges of enrolled accounts. Not part of the contract: only this project's service has them. */
export interface AutopayCharges {
  /**
   * Charges the account's AutoPay method, once per `ClientReference`, now or on the day of `ChargeOn`. Rejects with
   * kind `validation` and code `not_enrolled` if nobody is enrolled, or `referenceConflict` if the reference was used.
   *
   * @example
   * const { PaymentIdentifier, Status } = await client.autopay.charge({
   *   BusinessUnitSlug: 'harborlight-water',
   *   AccountNumber: '1001',
   *   Amount: 7_630,
   *   ClientReference: 'bill-2026-11-1001',
   * });
   */
  charge(request: AutopayChargeRequest, options?: WriteOptions): ServicePromise<AutopayCharge>;
}

/** Created sessions. Not part of the contract: only this project's service has these methods. */
export interface CreatedSessions {
  /** Retrieves the state of a session. */
  retrieve(businessUnitSlug: string, id: string, options?: CallOptions): ServicePromise<SessionDetails>;
  /**
   * Permanently closes a payment session that is not paid, or an open or completed session of another flow. Rejects
   * with kind `validation` and code `not_cancelable` if a payment is in flight or done.
   *
   * @example
   * await client.sessions.cancel('harborlight-water', session.sessionId);
   */
  cancel(businessUnitSlug: string, id: string, options?: WriteOptions): ServicePromise<CanceledSession>;
}

/** The client of `staging` and `production`. */
export interface ServiceClient extends FlowClients {
  /** Throws a `ServiceError` of kind `configuration` if the options set no environment. */
  readonly environment: Environment;
  readonly payments: FlowClients['payments'] & Payments;
  readonly autopay: FlowClients['autopay'] & AutopayCharges;
  readonly events: Events;
  readonly sessions: CreatedSessions;
}

/** What a caller sees of the client: its options, its doors, what they answer. */
import type {
  AutopayCharge,
  AutopayChargeRequest,
  CanceledSession,
  Envelope,
  Flow,
  ListRequest,
  ManageCustomerPayload,
  Payment,
  PaymentList,
  Refund,
  RefundRequest,
  SessionAnswers,
  SessionDetails,
  SessionRequests,
  UnenrollAutopayPayload,
} from '@embedded-sessions/server-types';
import type { Environment } from './environment.js';
import type { Attempt, ServiceError } from './error.js';
import type { Limits } from './limits.js';
import type { Fetch, Hook, RequestInfo, ResponseInfo } from './request.js';

export type { Limits } from './limits.js';

/** What a session's answer must tell. */
export interface ReadSession {
  sessionUrl: string;
  sessionId?: string;
  status?: string;
}

/**
 * Options of {@link createServiceClient}. Values that come from the process's environment may be unset where the client
 * is made, as where an app is built without its secrets: the first call rejects then, with kind `configuration`.
 */
export interface ServiceClientOptions extends Limits {
  /** Given, or found in `baseUrls`; never guessed. */
  environment?: Environment | undefined;
  /** The API base URL; `https:`, or `http:` on loopback. May be left out where `baseUrls` has the environment's. */
  baseUrl?: string | undefined;
  /** The base URLs of all environments, where they are known in advance: going live is then one value. */
  baseUrls?: Partial<Record<Environment, string | undefined>> | undefined;
  /** The secret key of this environment, or a function that fetches it; asked for on every attempt. */
  apiKey: string | (() => Promise<string>) | undefined;
  /** Another way to send a request, such as a service that runs in this process. */
  fetch?: Fetch | undefined;
  /** Called before each attempt; the API key is not in it. */
  onRequest?: Hook<RequestInfo> | undefined;
  /** Called after each attempt. */
  onResponse?: Hook<ResponseInfo> | undefined;
  /** Reads an operator's own answer of a session endpoint; default: `PaymentLogInLink` and its neighbours. */
  readSession?: ((flow: Flow, data: unknown) => ReadSession | Promise<ReadSession>) | undefined;
  /**
   * Reads an operator's own answer of the Events API, and throws what is wrong with it; default: every 2xx without
   * `hasErrors` is success.
   */
  readEvent?: ((response: EventResponse) => void | Promise<void>) | undefined;
  /** Check the cross-field rules before anything is sent; `true`. */
  preflight?: boolean | undefined;
}

/** Options of one call. */
export interface CallOptions extends Limits {
  signal?: AbortSignal | undefined;
}

/** A `ClientReference` that was taken, and what is known about by whom. */
export interface ReferenceConflict {
  reference: string;
  /** An earlier attempt of this very call may be what took it. */
  ambiguous: boolean;
  attempts: readonly Attempt[];
  error: ServiceError<'referenceConflict'>;
}

/** Options of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /** Sent as `Idempotency-Key`, the same on every attempt; default: a new random one. Give your own to retry later. */
  idempotencyKey?: string | undefined;
}

/** Options of `create`. */
export interface CreateOptions extends WriteOptions {
  /** Check the cross-field rules before anything is sent; default: the client's. */
  preflight?: boolean | undefined;
  /** Answers with another reference to try, or nothing to give up; asked at most three times. */
  onReferenceConflict?:
    | ((conflict: ReferenceConflict) => string | undefined | Promise<string | undefined>)
    | undefined;
}

/** A created session: a `SessionRef` for the page as it is. */
export interface CreatedSession<T> {
  /** `PaymentSessionIdentifier`: store it. */
  sessionId: string;
  /** For the page that opens it, and for nothing else: whoever has it can act in the session. */
  sessionUrl: string;
  environment: Exclude<Environment, 'development'>;
  /** ISO 8601, UTC. */
  expiresAt: string;
  /** Milliseconds from the moment that `create` resolved. */
  expiresInMs: number;
  status: string;
  /** The envelope as it came. */
  raw: Envelope<T>;
}

/** What `withResponse()` adds. */
export interface WithResponse<T> {
  data: T;
  /** HTTP status. */
  status: number;
  /** The service's id of the request, for its operator. */
  requestId: string | undefined;
  /** Every attempt, oldest first, the successful one last; as in a `ServiceError`. */
  attempts: readonly Attempt[];
}

/** A promise that can also tell how it came about. */
export interface Answer<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

/** The door of one flow. */
export interface Sessions<R, T> {
  /** Creates a session; rejects with a `ServiceError`. */
  create(request: R, options?: CreateOptions): Answer<CreatedSession<T>>;
}

/** An event: the business unit, and the payload as an object (it is sent as the string that the contract asks for). */
export type EventOf<P> = { businessUnitSlug: string } & (P | { payload: P });

/** An answer to an event. */
export interface EventResponse {
  /** HTTP status, 2xx. */
  status: number;
  /** What the JSON of the answer says, or its text where it is none; empty where there is no body. */
  body: unknown;
}

/** What an accepted event answers. */
export interface EventAnswer {
  /** The envelope as it came. */
  raw: unknown;
}

/** The Events API; events of one account are sent one after the other, in the order of the calls. */
export interface Events {
  /** `Accounts.ManageCustomer`: creates a customer account, or updates it (E-2, E-3). */
  manageCustomer(event: EventOf<ManageCustomerPayload>, options?: CallOptions): Answer<EventAnswer>;
  /** `Accounts.UnenrollAutopay`: unenrols an account from AutoPay (E-4). */
  unenrollAutopay(event: EventOf<UnenrollAutopayPayload>, options?: CallOptions): Answer<EventAnswer>;
}

/** The client of `development`, which serves the Events API alone. */
export interface DevelopmentClient {
  readonly environment: 'development';
  readonly events: Events;
}

/** The name of each flow's door. */
export interface DoorNames {
  payment: 'payments';
  autopay: 'autopay';
  wallet: 'wallet';
  paperless: 'paperless';
  'schedule-payment': 'schedulePayment';
  'scheduled-payments': 'scheduledPayments';
  notifications: 'notifications';
}

/** A door for each flow, which creates its sessions. */
export type SessionDoors = {
  readonly [F in Flow as DoorNames[F]]: Sessions<SessionRequests[F], SessionAnswers[F]>;
};

/** Payments that were taken: this project's service alone. */
export interface Payments {
  /**
   * Gives a payment back, whole or in part. `not_refundable` where it has not succeeded, `invalid` on `Amount`
   * where less is left: both of kind `validation`, with the code in `errors`. A refund that is `pending` is told later by
   * webhook.
   *
   * @example
   * const { Status, Refundable } = await client.payments.refund({
   *   BusinessUnitSlug: 'harborlight-water',
   *   PaymentIdentifier: payment.Id,
   *   Amount: 2_500,
   * });
   */
  refund(request: RefundRequest, options?: WriteOptions): Answer<Refund>;
  /** One page of payments, oldest first. */
  list(request: ListRequest, options?: CallOptions): Answer<PaymentList>;
  /**
   * Every payment of a list, page after page; the limits are those of one page. A page that fails rejects the loop with
   * its `ServiceError`.
   *
   * @example
   * for await (const payment of client.payments.all({ BusinessUnitSlug: 'harborlight-water', From: '2026-11-01' }))
   *   total += (payment.Status === 'succeeded' ? payment.Amount : 0) - payment.Refunded;
   */
  all(request: ListRequest, options?: CallOptions): AsyncIterable<Payment>;
}

/** Charges of enrolled accounts: this project's service alone. */
export interface AutopayCharges {
  /**
   * Charges the method that the account is enrolled with, once per `ClientReference`. `not_enrolled` where nobody
   * is, of kind `validation`; `referenceConflict` where the reference was used.
   *
   * @example
   * const { PaymentIdentifier, Status } = await client.autopay.charge({
   *   BusinessUnitSlug: 'harborlight-water',
   *   AccountNumber: '1001',
   *   Amount: 7_630,
   *   ClientReference: 'bill-2026-11-1001',
   * });
   */
  charge(request: AutopayChargeRequest, options?: WriteOptions): Answer<AutopayCharge>;
}

/** Sessions that were created: this project's service alone, since the contract shows neither query nor cancel. */
export interface CreatedSessions {
  /** What became of a session. */
  retrieve(businessUnitSlug: string, id: string, options?: CallOptions): Answer<SessionDetails>;
  /**
   * Closes an open session for good, its link too. `not_cancelable` where a payment is in flight or done, of kind
   * `validation`.
   *
   * @example
   * await client.sessions.cancel('harborlight-water', session.sessionId);
   */
  cancel(businessUnitSlug: string, id: string, options?: WriteOptions): Answer<CanceledSession>;
}

/** The client of `staging` and `production`. */
export interface ServiceClient extends SessionDoors {
  /** Throws a `ServiceError` of kind `configuration` where neither it nor a URL that tells of it is set. */
  readonly environment: Environment;
  readonly payments: SessionDoors['payments'] & Payments;
  readonly autopay: SessionDoors['autopay'] & AutopayCharges;
  readonly events: Events;
  readonly sessions: CreatedSessions;
}

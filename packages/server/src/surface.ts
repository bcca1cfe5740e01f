/** What a caller sees of the client: its options, its doors, what they answer. */
import type {
  AccountSessionRequest,
  CustomerSessionRequest,
  Envelope,
  Flow,
  ManageCustomerPayload,
  ManagementSession,
  PaymentSession,
  PaymentSessionRequest,
  SessionDetails,
  UnenrollAutopayPayload,
} from '@embedded-sessions/server-types';
import type { Environment } from './environment.js';
import type { Attempt, ServiceError } from './error.js';
import type { Fetch, Hook, RequestInfo, ResponseInfo } from './request.js';

/** Limits, per client and per call. */
export interface Limits {
  /** Milliseconds for one attempt, to the last byte of its answer; 15,000. */
  timeoutMs?: number;
  /** Milliseconds for all attempts and waits, that of an event for earlier ones of its account included; 45,000. */
  totalTimeoutMs?: number;
  /** How often to try again after a transient failure: 2; 0 means 0. */
  maxRetries?: number;
}

/** What a session's answer must tell. */
export interface ReadSession {
  sessionUrl: string;
  sessionId?: string;
  status?: string;
}

/** Options of {@link createServiceClient}. */
export interface ServiceClientOptions extends Limits {
  /** Given, or found in `baseUrls`; never guessed. */
  environment?: Environment;
  /** The API base URL; `https:`, or `http:` on loopback. May be left out where `baseUrls` has the environment's. */
  baseUrl?: string;
  /** The base URLs of all environments, where they are known in advance: going live is then one value. */
  baseUrls?: Partial<Record<Environment, string>>;
  /** The secret key of this environment, or a function that fetches it; asked for on every attempt. */
  apiKey: string | (() => Promise<string>);
  /** Another way to send a request, such as a service that runs in this process. */
  fetch?: Fetch;
  /** Called before each attempt; the API key is not in it. */
  onRequest?: Hook<RequestInfo>;
  /** Called after each attempt. */
  onResponse?: Hook<ResponseInfo>;
  /** Reads an operator's own answer of a session endpoint; default: `PaymentLogInLink` and its neighbours. */
  readSession?: (flow: Flow, data: unknown) => ReadSession;
  /** Check the cross-field rules before anything is sent; `true`. */
  preflight?: boolean;
}

/** Options of one call. */
export interface CallOptions extends Limits {
  signal?: AbortSignal;
}

/** A `ClientReference` that was taken, and what is known about by whom. */
export interface ReferenceConflict {
  reference: string;
  /** An earlier attempt of this very call may be what took it. */
  ambiguous: boolean;
  attempts: readonly Attempt[];
  error: ServiceError<'referenceConflict'>;
}

/** Options of `create`. */
export interface CreateOptions extends CallOptions {
  /** Sent as `Idempotency-Key`, the same on every attempt; default: a new random one. Give your own to retry later. */
  idempotencyKey?: string;
  /** Check the cross-field rules before anything is sent; default: the client's. */
  preflight?: boolean;
  /** Answers with another reference to try, or nothing to give up; asked at most three times. */
  onReferenceConflict?: (conflict: ReferenceConflict) => string | undefined | Promise<string | undefined>;
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
  /** How many attempts it took. */
  attempts: number;
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

/** The client of `staging` and `production`. */
export interface ServiceClient {
  readonly environment: Environment;
  readonly payments: Sessions<PaymentSessionRequest, PaymentSession>;
  readonly autopay: Sessions<AccountSessionRequest, ManagementSession>;
  readonly wallet: Sessions<CustomerSessionRequest, ManagementSession>;
  readonly paperless: Sessions<AccountSessionRequest, ManagementSession>;
  readonly schedulePayment: Sessions<AccountSessionRequest, ManagementSession>;
  readonly scheduledPayments: Sessions<AccountSessionRequest, ManagementSession>;
  readonly notifications: Sessions<CustomerSessionRequest, ManagementSession>;
  readonly events: Events;
  readonly sessions: {
    /**
     * What became of a session. Speaks to this project's service: the contract shows no query, so another
     * operator's may differ.
     */
    retrieve(businessUnitSlug: string, id: string, options?: CallOptions): Answer<SessionDetails>;
  };
}

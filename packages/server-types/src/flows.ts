import type { BackOfficeCall } from './back-office.js';
import type { Flow } from './session.js';

/** What the contract fixes for one flow. */
export interface FlowDefinition {
  /** Path relative to the API base URL. */
  readonly endpoint: `/integrations/embedded/${string}`;
  /** Method of the SDK's global that opens its session URL. */
  readonly sdkMethod: 'completePayment' | 'startFlow';
  /** Lifetime of a session in milliseconds. */
  readonly lifetimeMs: number;
}

const MINUTE_MS = 60_000;
const management = (endpoint: FlowDefinition['endpoint']): FlowDefinition => ({
  endpoint,
  sdkMethod: 'startFlow',
  lifetimeMs: 60 * MINUTE_MS,
});

/**
 * The seven flows with their endpoint, SDK method and lifetime.
 *
 * @example
 * FLOWS.payment.lifetimeMs; // 1_800_000
 */
export const FLOWS: Readonly<Record<Flow, FlowDefinition>> = {
  payment: {
    endpoint: '/integrations/embedded/initiate',
    sdkMethod: 'completePayment',
    lifetimeMs: 30 * MINUTE_MS,
  },
  autopay: management('/integrations/embedded/initiate-manage-autopay'),
  wallet: management('/integrations/embedded/initiate-manage-wallet'),
  paperless: management('/integrations/embedded/initiate-manage-paperless'),
  'schedule-payment': management('/integrations/embedded/initiate-schedule-payment-session'),
  'scheduled-payments': management('/integrations/embedded/initiate-manage-schedule-payments'),
  notifications: management('/integrations/embedded/initiate-manage-notifications'),
};

/** Path of the Events API, relative to the API base URL. */
export const EVENTS_ENDPOINT = '/integrations/events';

/** Path of the session query of this project's service. */
export const QUERY_ENDPOINT = '/integrations/embedded/query';

/** Paths of the back office's calls of this project's service. */
export const BACK_OFFICE_ENDPOINTS: Readonly<Record<BackOfficeCall, `/integrations/${string}`>> = {
  refund: '/integrations/payments/refund',
  list: '/integrations/payments/list',
  cancel: '/integrations/embedded/cancel',
  charge: '/integrations/autopay/charge',
};

/** Payments of one page of a list where no `Limit` is given. */
export const DEFAULT_LIST_LIMIT = 100;

/** Most payments of one page of a list. */
export const MAX_LIST_LIMIT = 500;

/** Header that carries the API key. */
export const API_KEY_HEADER = 'X-Service-Api-Key';

/** Header of a created session's answer: the seconds that it still has, also where an `Idempotency-Key` gave it again. */
export const SESSION_EXPIRES_IN_HEADER = 'X-Session-Expires-In';

/** Header of a created session's answer: the environment that the session is of. */
export const SESSION_ENVIRONMENT_HEADER = 'X-Session-Environment';

/** Most charges of one payment request. */
export const MAX_CHARGES = 25;

/** Most characters of `StreetAddress`, `StreetAddress2` and `City` each. */
export const ADDRESS_MAX_LENGTH = 100;

/**
 * Most characters of an identifier: `AccountNumber`, `SubAccountNumber`, `ClientReference`, e-mail addresses. A limit
 * of this project's service (the contract shows none), so that every storage can index them.
 */
export const IDENTIFIER_MAX_LENGTH = 255;

/** Most characters of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** Deepest nesting of `CustomMeta` and custom account fields that this project's service keeps. */
export const META_MAX_DEPTH = 64;

import type { Flow } from './session.js';

/** The contract's definition of one flow. */
export interface FlowDefinition {
  /** Path relative to the API base URL. */
  readonly endpoint: `/integrations/embedded/${string}`;
  /** SDK method that opens its session URL. */
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

/** Path of the session query. Not part of the contract: only this project's service has it. */
export const QUERY_ENDPOINT = '/integrations/embedded/query';

/** Header that carries the API key. */
export const API_KEY_HEADER = 'X-Service-Api-Key';

/** Response header of a created session: the remaining seconds, also if an `Idempotency-Key` replays the response. */
export const SESSION_EXPIRES_IN_HEADER = 'X-Session-Expires-In';

/** Response header of a created session: its environment. */
export const SESSION_ENVIRONMENT_HEADER = 'X-Session-Environment';

/** Maximum number of charges per payment request. */
export const MAX_CHARGES = 25;

/** Maximum number of a session's payment fields. */
export const MAX_PAYMENT_FIELDS = 100;

/** Maximum length of `StreetAddress`, `StreetAddress2` and `City` in characters. */
export const ADDRESS_MAX_LENGTH = 100;

/**
 * Maximum length of identifiers, e-mail addresses and other short texts in characters. Not part of the contract: this
 * project's service has this limit so that every database can index them.
 */
export const IDENTIFIER_MAX_LENGTH = 255;

/**
 * Maximum length of names and statement texts in characters. Not part of the contract: this project's service has this limit
 * so that rows stay short.
 */
export const LINE_MAX_LENGTH = 10_000;

/** Maximum length of `SuccessUrl` and `ReturnUrl` in characters. Not part of the contract. */
export const URL_MAX_LENGTH = 2048;

/** Maximum length of an `Idempotency-Key` in characters. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** Maximum nesting depth of `CustomMeta` and custom account fields in this project's service. */
export const META_MAX_DEPTH = 64;

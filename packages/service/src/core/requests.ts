/** Requests as the schemas return them: without `null`, and with any custom account fields. */
import type * as Sent from '@embedded-sessions/server-types';
import type { Normalized } from '@embedded-sessions/server-types';

type AnyFields = Record<string, unknown>;

export type ClientAccount = Normalized<Sent.ClientAccount<AnyFields>>;
export type ManagedAccount = Normalized<Sent.ManagedAccount<AnyFields>>;
export type ClientUser = Normalized<Sent.ClientUser>;
export type Charge = Normalized<Sent.Charge<AnyFields>>;

export type PaymentSessionRequest = Normalized<Sent.PaymentSessionRequest<AnyFields>>;
export type AccountSessionRequest = Normalized<Sent.AccountSessionRequest<AnyFields>>;
export type CustomerSessionRequest = Normalized<Sent.CustomerSessionRequest>;
export type SessionRequests = Sent.NormalizedSessionRequests;

export type ManageCustomerPayload = Normalized<Sent.ManageCustomerPayload>;
export type BackOfficeRequests = Sent.NormalizedBackOfficeRequests;

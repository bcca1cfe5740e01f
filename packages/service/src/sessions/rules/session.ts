import type { Flow, ManagementSessionStatus, PaymentSessionStatus } from '@embedded-sessions/server-types';
import { DAY_MS } from '../../core/day.js';
import { refused, type Refused } from '../../core/result.js';
import type {
  AccountSessionRequest,
  CustomerSessionRequest,
  PaymentSessionRequest,
  SessionRequests,
} from '../../core/requests.js';

export type SessionStatus = PaymentSessionStatus | ManagementSessionStatus;

/** After this many declines, a session accepts no further attempts. */
export const MAX_DECLINES = 10;

interface SessionBase {
  /** Begins with `stg_` or `prd_`. */
  readonly id: string;
  readonly businessUnit: string;
  readonly status: SessionStatus;
  /** Id of the session key that its secret is derived from. */
  readonly secretKeyId: string;
  readonly customerId?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly declines: number;
  /** Page ids of abandoned attempts, which must never begin. */
  readonly abandoned?: readonly string[];
  /**
   * `automaticPayments` of each account when the session was created, if its page can pay or schedule. Absent in payment
   * sessions whose accounts had none, and in `schedule-payment` sessions of earlier releases.
   */
  readonly automaticPayments?: readonly number[];
}

export interface PaymentSession extends SessionBase {
  readonly flow: 'payment';
  readonly status: PaymentSessionStatus;
  /** The accepted request, including `Note` and metadata. */
  readonly request: PaymentSessionRequest;
}

/** The payer's e-mail address as the merchant wrote it, if any. */
export function payerEmail({ request }: Pick<PaymentSession, 'request'>): string | undefined {
  return request.ClientUser?.EmailAddress.trim();
}

/** Where the payer came from. It may name them, so the link of an old session doesn't show it. */
export function returnUrlOf(session: Session, now: number): string | undefined {
  return session.flow === 'payment' && now < session.createdAt + DAY_MS
    ? session.request.ReturnUrl
    : undefined;
}

export type AccountFlow = {
  [F in Flow]: SessionRequests[F] extends AccountSessionRequest ? F : never;
}[Flow];
export type CustomerFlow = Exclude<Flow, 'payment' | AccountFlow>;

export interface AccountSession extends SessionBase {
  readonly flow: AccountFlow;
  readonly status: ManagementSessionStatus;
  readonly accountId: string;
  readonly customerId: string;
  readonly request: AccountSessionRequest;
}

export interface CustomerSession extends SessionBase {
  readonly flow: CustomerFlow;
  readonly status: ManagementSessionStatus;
  readonly customerId: string;
  readonly request: CustomerSessionRequest;
}

export type Session = PaymentSession | AccountSession | CustomerSession;

export type SessionOf<F extends Flow> = F extends 'payment'
  ? PaymentSession
  : F extends AccountFlow
    ? AccountSession & { readonly flow: F }
    : CustomerSession & { readonly flow: F };

export type SessionEvent =
  | 'attempt-started'
  | 'attempt-declined'
  | 'attempt-succeeded'
  /** A bank payment was returned, before or after it settled. */
  | 'attempt-returned'
  /** The payer pressed Done in a management flow. */
  | 'completed'
  /** The clock reached `expiresAt`. */
  | 'expired'
  /** The merchant canceled it. */
  | 'canceled';

export type Refusal =
  | 'expired'
  | 'canceled'
  | 'already-paid'
  | 'failed'
  | 'in-flight'
  | 'too-many-attempts'
  | 'not-now';

/** The status at `now`, even if the expiry job has not run yet. */
export function statusAt(session: Session, now: number): SessionStatus {
  const waiting = session.status === 'RequiresPaymentSource' || session.status === 'Open';
  return waiting && now >= session.expiresAt ? 'Expired' : session.status;
}

/**
 * Refuses all work in a session that was canceled or has expired at `now`, or returns null. A started payment stays visible
 * after its session expires; a management session doesn't.
 */
export function refuseEnded(session: Session, now: number): Refused | null {
  if (session.status === 'Canceled') return CANCELED;
  const isOver = session.flow === 'payment' ? statusAt(session, now) === 'Expired' : now >= session.expiresAt;
  return isOver ? EXPIRED : null;
}

const CANCELED = refused('canceled', 'This session was canceled. Go back and start again.');
const EXPIRED = refused('expired', 'This session has expired. Go back and start again.');

/** Returns the reason why a payment session accepts no attempt at `now` (ms since the epoch), or null if it does. */
export function attemptRefusal(session: Session, now: number): Refusal | null {
  const status = statusAt(session, now);
  if (status === 'Expired') return 'expired';
  if (status === 'Canceled') return 'canceled';
  if (status === 'Processing') return 'in-flight';
  if (status === 'Succeeded') return 'already-paid';
  if (status === 'Failed') return 'failed';
  if (status !== 'RequiresPaymentSource') return 'not-now';
  return session.declines >= MAX_DECLINES ? 'too-many-attempts' : null;
}

/** The state table of R-44: the next session, or why it refuses the event. */
export function transition<S extends Session>(session: S, event: SessionEvent, now: number): S | Refusal {
  const to = (next: SessionStatus): S => ({ ...session, status: next });
  const status = statusAt(session, now);

  switch (event) {
    case 'attempt-started':
      return attemptRefusal(session, now) ?? to('Processing');
    case 'attempt-declined':
      if (status !== 'Processing') return 'not-now';
      return { ...session, status: 'RequiresPaymentSource', declines: session.declines + 1 };
    case 'attempt-succeeded':
      return status === 'Processing' ? to('Succeeded') : 'not-now';
    case 'attempt-returned':
      return status === 'Processing' || status === 'Succeeded' ? to('Failed') : 'not-now';
    case 'completed':
      if (status === 'Completed') return session;
      if (status === 'Open') return to('Completed');
      return status === 'Expired' ? 'expired' : 'not-now';
    case 'expired':
      return status === 'Expired' && session.status !== 'Expired' ? to('Expired') : 'not-now';
    case 'canceled':
      if (status === 'Canceled') return session;
      // The link of a completed flow works until it expires.
      if (status === 'Completed' && now >= session.expiresAt) return 'expired';
      if (status === 'RequiresPaymentSource' || status === 'Open' || status === 'Completed')
        return to('Canceled');
      return attemptRefusal(session, now) ?? 'not-now';
  }
}

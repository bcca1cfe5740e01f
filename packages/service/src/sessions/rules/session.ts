import type { Flow, ManagementSessionStatus, PaymentSessionStatus } from '@embedded-sessions/server-types';
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
}

export interface PaymentSession extends SessionBase {
  readonly flow: 'payment';
  readonly status: PaymentSessionStatus;
  /** The accepted request, including `Note` and metadata. */
  readonly request: PaymentSessionRequest;
  /** `automaticPayments` of the accounts of `accountsOfCharges`, as the session was created; absent if they had none. */
  readonly automaticPayments?: readonly number[];
}

/** Flows that manage an account. */
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
  | { type: 'attempt-started' }
  | { type: 'attempt-declined' }
  | { type: 'attempt-succeeded' }
  /** A bank payment was returned, before or after it settled. */
  | { type: 'attempt-returned' }
  /** The payer pressed Done in a management flow. */
  | { type: 'completed' }
  /** The clock reached `expiresAt`. */
  | { type: 'expired' }
  /** The merchant canceled it. */
  | { type: 'canceled' };

export type Refusal =
  | 'expired'
  | 'canceled'
  | 'already-paid'
  | 'failed'
  | 'in-flight'
  | 'too-many-attempts'
  | 'not-now';

export type SessionEffect =
  | { type: 'refuse'; reason: Refusal }
  | {
      type: 'notify';
      event: 'payment.succeeded' | 'payment.failed' | 'session.expired' | 'session.canceled';
    };

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

/** The state table of R-44: the next session and its effects. */
export function transition<S extends Session>(
  session: S,
  event: SessionEvent,
  now: number,
): [S, SessionEffect[]] {
  const refuse = (reason: Refusal): [S, SessionEffect[]] => [session, [{ type: 'refuse', reason }]];
  const to = (status: SessionStatus, ...effects: SessionEffect[]): [S, SessionEffect[]] => [
    { ...session, status },
    effects,
  ];
  const status = statusAt(session, now);

  switch (event.type) {
    case 'attempt-started': {
      const reason = attemptRefusal(session, now);
      return reason === null ? to('Processing') : refuse(reason);
    }
    case 'attempt-declined':
      if (status !== 'Processing') return refuse('not-now');
      return [
        { ...session, status: 'RequiresPaymentSource', declines: session.declines + 1 },
        [{ type: 'notify', event: 'payment.failed' }],
      ];
    case 'attempt-succeeded':
      if (status !== 'Processing') return refuse('not-now');
      return to('Succeeded', { type: 'notify', event: 'payment.succeeded' });
    case 'attempt-returned':
      if (status !== 'Processing' && status !== 'Succeeded') return refuse('not-now');
      return to('Failed', { type: 'notify', event: 'payment.failed' });
    case 'completed':
      if (status === 'Expired') return refuse('expired');
      if (status === 'Completed') return [session, []];
      if (status !== 'Open') return refuse('not-now');
      return to('Completed');
    case 'expired':
      if (session.status !== 'RequiresPaymentSource' && session.status !== 'Open') return refuse('not-now');
      if (now < session.expiresAt) return refuse('not-now');
      return to('Expired', { type: 'notify', event: 'session.expired' });
    case 'canceled':
      if (status === 'Canceled') return [session, []];
      // The link of a completed flow works until it expires.
      if (status === 'Completed' && now >= session.expiresAt) return refuse('expired');
      if (status !== 'RequiresPaymentSource' && status !== 'Open' && status !== 'Completed')
        return refuse(attemptRefusal(session, now) ?? 'not-now');
      return to('Canceled', { type: 'notify', event: 'session.canceled' });
  }
}

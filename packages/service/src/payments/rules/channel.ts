/** The channel and initiator of a payment, for the processor. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { processorContext, type ProcessorContext } from '../../processor/rules/port.js';
import type { ServiceEnvironment } from '../../shared/environment.js';
import type { Session } from '../../sessions/rules/session.js';
import type { AttemptHead } from './attempt.js';

type Start = Pick<ProcessorContext, 'channel' | 'initiator'>;

export function startOfCharge(
  { scheduledId, accountId }: Pick<AttemptHead, 'scheduledId' | 'accountId'>,
  session: Session | null,
): Start {
  if (scheduledId !== undefined) return { channel: 'Scheduled', initiator: 'merchant' };
  if (accountId !== undefined) return { channel: 'AutoPay', initiator: 'merchant' };
  return startOfForm(session);
}

/** The context of a call for a payment method that a payer types or edits in a session. */
export function formContext(
  environment: ServiceEnvironment,
  session: Session,
  method: PaymentMethod,
  more: Partial<Parameters<typeof processorContext>[0]> = {},
): ProcessorContext {
  const { id: sessionId, businessUnit } = session;
  return processorContext({ businessUnit, method, sessionId, environment, ...startOfForm(session), ...more });
}

/** How the payment, enrollment or schedule that the source is typed for starts. */
export function startOfForm(session: Session | null): Start {
  if (session?.flow === 'autopay') return { channel: 'AutoPay', initiator: 'payer' };
  if (session?.flow === 'schedule-payment') return { channel: 'Scheduled', initiator: 'payer' };

  const isPos = session?.flow === 'payment' && session.request.Channel === 'POS';
  return isPos ? { channel: 'POS', initiator: 'agent' } : { channel: 'QuickPay', initiator: 'payer' };
}

/** Builds the context that the processor receives with a charge or refund. */
import { iso } from '../core/day.js';
import { defined } from '../core/defined.js';
import type { Store } from '../core/store.js';
import { currentContext, runInContext } from '../platform/context.js';
import { currentTraceparent } from '../platform/tracing.js';
import { processorContext, type ProcessorContext } from '../processor/rules/port.js';
import { payerEmail, type PaymentSession } from '../sessions/rules/session.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { isAutomatic, type Attempt } from './rules/attempt.js';
import { startOfCharge, startOfForm } from './rules/channel.js';

export interface ContextParts {
  readonly env: ServiceEnvironment;
  readonly store: Pick<Store, 'read'>;
}

/** Runs `work`, which calls the processor for a payment from a page. Without the session, which may have 256 KiB. */
export function withPayer<T>(session: PaymentSession, work: () => T): T {
  const payer = { sessionId: session.id, ...startOfForm(session), email: payerEmail(session) };
  return runInContext({ ...currentContext(), payer }, work);
}

export async function contextOf(attempt: Attempt, parts: ContextParts): Promise<ProcessorContext> {
  const { device } = currentContext();
  const { businessUnit, descriptor, sessionId, reference } = attempt;
  const { channel, initiator, email, authorization } = await factsOf(attempt, parts);

  const context = processorContext({
    businessUnit,
    descriptor,
    sessionId,
    method: attempt.source.method,
    environment: parts.env,
    traceparent: currentTraceparent(),
    channel,
    initiator,
    email,
    device: device ?? authorization ?? undefined,
  });
  const agreed = authorization && { text: authorization.text, at: iso(authorization.agreedAt) };
  return defined({ ...context, reference, authorization: agreed ?? undefined });
}

/** Skips the database for card payments from a page, because each round trip delays the payer. */
async function factsOf(attempt: Attempt, { store }: ContextParts) {
  const { sessionId, authorizationId } = attempt;
  const { payer } = currentContext();
  if (payer?.sessionId === sessionId && authorizationId === undefined)
    return { ...payer, authorization: null };

  return store.read(async (tx) => {
    const [session, customer, authorization] = await Promise.all([
      // Needed only to tell how a payer began the charge.
      isAutomatic(attempt) ? null : tx.sessions.get(sessionId),
      tx.customers.ofSession(sessionId),
      authorizationId === undefined ? null : tx.authorizations.get(authorizationId),
    ]);
    return { ...startOfCharge(attempt, session), email: customer?.emailAddress, authorization };
  });
}

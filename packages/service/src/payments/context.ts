/** Collects what the processor is told about a charge or its refund. */
import { given } from '../core/given.js';
import type { Store } from '../core/store.js';
import { processorContext } from '../processor/rules/port.js';
import type { Device, ProcessorContext } from '../processor/rules/port.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import type { Origin } from '../webhooks/rules.js';
import type { Attempt } from './rules/attempt.js';
import { startOfCharge } from './rules/channel.js';

export interface ContextParts {
  readonly env: ServiceEnvironment;
  readonly store: Pick<Store, 'read'>;
  /** The current request, if any. */
  readonly origin?: Origin;
  /** The browser that sent it, if the payer did. */
  readonly device?: Device;
}

/** The context for processor calls about an attempt and its refunds. */
export async function contextOf(
  attempt: Attempt,
  { env, store, origin, device }: ContextParts,
): Promise<ProcessorContext> {
  const { businessUnit, descriptor, sessionId, authorizationId, reference } = attempt;
  const { session, customer, authorization } = await store.read(async (tx) => {
    const [session, authorization] = await Promise.all([
      tx.sessions.get(sessionId),
      authorizationId === undefined ? null : tx.authorizations.get(authorizationId),
    ]);
    const customer = session?.customerId === undefined ? null : await tx.customers.get(session.customerId);
    return { session, customer, authorization };
  });

  const context = processorContext({
    businessUnit,
    descriptor,
    sessionId,
    method: attempt.source.method,
    environment: env,
    traceparent: origin?.traceparent,
    ...startOfCharge(attempt, session),
    email: customer?.emailAddress,
    device: device ?? authorization?.device,
  });
  if (!authorization) return { ...context, ...given({ reference }) };

  const { text, agreedAt } = authorization;
  return {
    ...context,
    ...given({ reference }),
    authorization: { text, at: new Date(agreedAt).toISOString() },
  };
}

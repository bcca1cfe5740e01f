import type { ServiceClient } from '@embedded-sessions/server';

/**
 * Creates one session per order and attempt: with the same key, a later call returns the same session. Raise `attempt` in
 * your database once that session has ended without a payment.
 */
export async function sessionOf(
  client: ServiceClient,
  order: { id: string; attempt: number; amount: number },
) {
  const reference = `${order.id}-${order.attempt}`;
  return client.payments.create(
    {
      BusinessUnitSlug: 'harborlight-water',
      Channel: 'QuickPay',
      Charges: [{ Amount: order.amount }],
      ClientReference: reference,
    },
    {
      idempotencyKey: reference,
      // If `ambiguous`, this call itself may have taken the reference.
      onReferenceConflict: ({ reference, ambiguous }) => (ambiguous ? undefined : `${reference}-again`),
    },
  );
}

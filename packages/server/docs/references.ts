import type { ServiceClient } from '@embedded-sessions/server';

/** Creates one session per order: with the same key, a later call returns the same session. */
export async function sessionOf(client: ServiceClient, order: { id: string; amount: number }) {
  return client.payments.create(
    {
      BusinessUnitSlug: 'harborlight-water',
      Channel: 'QuickPay',
      Charges: [{ Amount: order.amount }],
      ClientReference: order.id,
    },
    {
      idempotencyKey: `order-${order.id}`,
      // If `ambiguous`, this call itself may have taken the reference.
      onReferenceConflict: ({ reference, ambiguous }) => (ambiguous ? undefined : `${reference}-again`),
    },
  );
}

import type { ServiceClient } from '@embedded-sessions/server';

/** One session per order: our own key makes a later call return the same session. */
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
      // Only if this call cannot have taken the reference itself.
      onReferenceConflict: ({ reference, ambiguous }) => (ambiguous ? undefined : `${reference}-again`),
    },
  );
}

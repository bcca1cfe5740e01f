import type { ServiceClient } from '@embedded-sessions/server';

/** One session per order, whatever happens in between: our own key makes a later call the same call. */
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
      // Only where it is sure that it is not this very call that took the reference.
      onReferenceConflict: ({ reference, ambiguous }) => (ambiguous ? undefined : `${reference}-again`),
    },
  );
}

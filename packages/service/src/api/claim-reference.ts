import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';

/**
 * permanently claims a caller's reference for a payment session or AutoPay charge. Concurrent claims conflict
 * on its row; the loser is retried and finds the reference taken.
 * @throws ServiceError `client_reference_taken`
 */
export async function claimReference(
  tx: StoreTx,
  businessUnit: string,
  reference: string | undefined,
): Promise<void> {
  if (reference === undefined || (await tx.references.take(businessUnit, reference))) return;
  throw new ServiceError(
    'client_reference_taken',
    'ClientReference was already used: each payment session and AutoPay charge of a business unit needs a unique one.',
    { field: 'ClientReference' },
  );
}

import type { PaymentMethod } from '@embedded-sessions/server-types';
import { defined } from '../core/defined.js';
import type { StoreTx, TxContext } from '../core/store.js';
import type { Authorization } from '../payments/rules/authorization.js';
import { currentContext } from '../platform/context.js';

/** Stores that the payer agreed to this text. Cards need no authorization. */
export async function authorize(
  tx: StoreTx,
  payer: Pick<Authorization, 'businessUnit' | 'customerId'> & { readonly method: PaymentMethod },
  text: string,
  { now, newId }: TxContext,
): Promise<{ authorizationId?: string }> {
  const { businessUnit, customerId, method } = payer;
  if (method !== 'ACH') return {};

  const id = newId('aut_');
  const { device } = currentContext();
  await tx.authorizations.insert({
    id,
    businessUnit,
    ...defined({ customerId }),
    text,
    agreedAt: now,
    ...device,
  });
  return { authorizationId: id };
}

export async function revokeAuthorization(
  tx: StoreTx,
  { authorizationId }: { readonly authorizationId?: string },
  now: number,
): Promise<void> {
  if (authorizationId !== undefined) await tx.authorizations.revoke(authorizationId, now);
}

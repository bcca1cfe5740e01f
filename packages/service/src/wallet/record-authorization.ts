import { authorizationOf } from '../payments/rules/authorization.js';
import type { StoreTx } from '../core/store.js';

/** Resolves to `{ authorizationId }`, or to `{}` for cards, which need no authorization. */
export async function authorize(
  tx: StoreTx,
  ...args: Parameters<typeof authorizationOf>
): Promise<{ authorizationId?: string }> {
  const authorization = authorizationOf(...args);
  if (!authorization) return {};
  await tx.authorizations.insert(authorization);
  return { authorizationId: authorization.id };
}

export async function revokeAuthorization(
  tx: StoreTx,
  { authorizationId }: { readonly authorizationId?: string },
  now: number,
): Promise<void> {
  if (authorizationId !== undefined) await tx.authorizations.revoke(authorizationId, now);
}

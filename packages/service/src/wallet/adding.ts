/** Adds a payment method to the wallet: check, tokenize, save, in this order. */
import type { TxContext } from '../core/tx-context.js';
import { ok, refused, type Result } from '../core/result.js';
import { checkRequestId, isId } from '../core/page-ids.js';
import { NO_PROCESSOR, type PaymentProcessor } from '../processor/rules/port.js';
import { refuseEnded, type AccountSession, type CustomerSession } from '../sessions/rules/session.js';
import { addMethod, walletFullRefusal } from './methods.js';
import type { Method } from './rules.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { checkNewSource, discard, type TokenizingParts } from './tokenizing.js';
import { defined } from '../core/defined.js';

export interface AddingParts extends Omit<TokenizingParts, 'processor'> {
  /** Null in production without a processor. */
  readonly processor: PaymentProcessor | null;
  readonly clock: { now(): number };
  readonly newId: TxContext['newId'];
}

/** Resolves to the method. Idempotent by `requestId`. */
export async function addSavedMethod(
  parts: AddingParts,
  session: AccountSession | CustomerSession,
  { paymentMethods: methods, countries }: Pick<BusinessUnit, 'paymentMethods' | 'countries'>,
  body: Record<string, unknown>,
): Promise<Result<Method>> {
  const { store, processor, clock, newId } = parts;
  const requestId = checkRequestId(body, 'requestId');
  if (!requestId.ok) return requestId;

  const { customerId } = session;
  const { existing, others } = await store.read(async (tx) => ({
    existing: await tx.methods.findByRequest(customerId, requestId.value),
    others: await tx.methods.ofCustomer(customerId),
  }));
  // Read it again in a transaction, so that a repeated response is as durable as the first.
  if (existing)
    return store.transaction(
      async (tx) => ok((await tx.methods.findByRequest(customerId, requestId.value)) ?? existing),
      { repeatable: true },
    );
  if (!processor) return refused('payments_unavailable', NO_PROCESSOR);

  // Only the wallet changes existing methods and the default.
  const isWallet = session.flow === 'wallet';
  const updates = isWallet && isId(body['renews']) ? body['renews'] : undefined;
  const source = checkNewSource({ ...parts, processor }, body['source'], {
    session,
    methods,
    countries,
    now: clock.now(),
    refusalOf: (typed) => (updates === undefined ? walletFullRefusal(others, typed) : null),
  });
  if (!source.ok) return source;

  const tokenized = await source.value();
  if (!tokenized.ok) return tokenized;

  const input = {
    ...tokenized.value,
    customerId,
    requestId: requestId.value,
    session,
    ...defined({ updates }),
  };
  const context = { now: clock.now(), newId };
  const added = await store.transaction(
    async (tx) =>
      // The session may have ended since the request was admitted.
      refuseEnded(await tx.sessions.lock(session), context.now) ??
      addMethod(tx, input, isWallet && body['makeDefault'] === true, context),
    { repeatable: true },
  );
  if (!added.ok || added.value.token !== input.token) discard({ ...parts, processor }, session, input);
  return added;
}

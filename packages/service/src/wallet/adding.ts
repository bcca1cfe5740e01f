/** Adds a payment method to the wallet: check, tokenize, save, in this order. */
import type { Occasion } from '../core/occasion.js';
import { done, refused, type Outcome } from '../core/outcome.js';
import { checkRequestId, isId } from '../core/page-ids.js';
import { NO_PROCESSOR, type PaymentProcessor } from '../processor/rules/port.js';
import type { AccountSession, CustomerSession } from '../sessions/rules/session.js';
import { addMethod, whyFull } from './methods.js';
import type { Method } from './rules.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { checkNewSource, discard, type TokenizingParts } from './tokenizing.js';
import { given } from '../core/given.js';

export interface AddingParts extends Omit<TokenizingParts, 'processor'> {
  /** Null in a production service without a processor. */
  readonly processor: PaymentProcessor | null;
  readonly clock: { now(): number };
  readonly newId: Occasion['newId'];
}

/** Resolves to the method. The same `requestId` adds it once. */
export async function addSavedMethod(
  parts: AddingParts,
  session: AccountSession | CustomerSession,
  { paymentMethods: methods, countries }: Pick<BusinessUnit, 'paymentMethods' | 'countries'>,
  body: Record<string, unknown>,
): Promise<Outcome<Method>> {
  const { store, processor, clock, newId } = parts;
  const requestId = checkRequestId(body, 'requestId');
  if (!requestId.ok) return requestId;

  const { customerId } = session;
  const { known, others } = await store.read(async (tx) => ({
    known: await tx.methods.findByRequest(customerId, requestId.value),
    others: await tx.methods.ofCustomer(customerId),
  }));
  // Read it again in a transaction, so that a repeated response is as durable as the first one.
  if (known)
    return store.transaction(
      async (tx) => done((await tx.methods.findByRequest(customerId, requestId.value)) ?? known),
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
    whyNot: (typed) => (updates === undefined ? whyFull(others, typed) : null),
  });
  if (!source.ok) return source;

  const exchanged = await source.value();
  if (!exchanged.ok) return exchanged;

  const wish = {
    ...exchanged.value,
    customerId,
    requestId: requestId.value,
    session,
    ...given({ updates }),
  };
  const occasion = { now: clock.now(), newId };
  const added = await store.transaction(
    (tx) => addMethod(tx, wish, isWallet && body['makeDefault'] === true, occasion),
    { repeatable: true },
  );
  if (!added.ok || added.value.token !== wish.token) discard({ ...parts, processor }, session, wish);
  return added;
}

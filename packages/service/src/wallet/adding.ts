/** Adds a payment method to the wallet: check, tokenize, save, in this order. */
import { dayIn } from '../core/day.js';
import { ok, refused, type Result } from '../core/result.js';
import { checkRequestId, isId } from '../core/page-ids.js';
import { NO_PROCESSOR } from '../processor/rules/port.js';
import { refuseEnded, type AccountSession, type CustomerSession } from '../sessions/rules/session.js';
import { addMethod, walletFullRefusal } from './methods.js';
import type { Method } from './rules.js';
import type { BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { checkNewSource, discard, discardUnlessStored, storeToken } from './tokenizing.js';
import { defined } from '../core/defined.js';

/** Resolves to the method. Idempotent by `requestId`. */
export async function addSavedMethod(
  deps: Deps,
  session: AccountSession | CustomerSession,
  { paymentMethods: methods, countries, timeZone }: BusinessUnit,
  body: Record<string, unknown>,
): Promise<Result<Method>> {
  const checkedId = checkRequestId(body, 'requestId');
  if (!checkedId.ok) return checkedId;

  const { store, background = store, clock, newId, processor } = deps;
  const { customerId } = session;
  const requestId = checkedId.value;
  // Only the wallet changes existing methods and the default.
  const isWallet = session.flow === 'wallet';
  const renews = isWallet && isId(body['renews']) ? body['renews'] : undefined;
  const asDefault = isWallet && body['makeDefault'] === true;
  // Not a read, so that a repeated response is as durable as the first.
  const prepared = await store.transaction(
    async (tx) => {
      const [existing, others] = await Promise.all([
        tx.methods.findByRequest(customerId, requestId),
        tx.methods.ofCustomer(customerId),
      ]);
      if (existing) return ok(existing);
      if (!processor) return refused('payments_unavailable', NO_PROCESSOR);

      const tokenizing = { ...deps, processor };
      const today = dayIn(clock.now(), timeZone);
      const source = checkNewSource(tokenizing, body['source'], { session, methods, countries, today });
      if (!source.ok) return source;

      const full = renews === undefined ? walletFullRefusal(others, source.value) : null;
      return full ?? ok({ tokenize: await source.value.preflight(tx), tokenizing });
    },
    { repeatable: true },
  );
  if (!prepared.ok) return prepared;
  if ('id' in prepared.value) return ok(prepared.value);

  const { tokenize, tokenizing } = prepared.value;
  const tokenized = await tokenize();
  if (!tokenized.ok) return tokenized;

  const input = defined({ ...tokenized.value, customerId, requestId, session, renews, asDefault });
  const context = { now: clock.now(), newId };
  const added = await storeToken(
    store,
    async (tx) =>
      // The session may have ended since the request was admitted.
      refuseEnded(await tx.sessions.lock(session), context.now) ?? addMethod(tx, input, context),
    () =>
      discardUnlessStored({ ...tokenizing, store: background }, session, input, async (tx) => {
        const saved = await tx.methods.ofCustomer(customerId);
        return saved.some(({ token }) => token === input.token);
      }),
  );
  if (!added.ok || added.value.token !== input.token) discard(tokenizing, session, input);
  return added;
}

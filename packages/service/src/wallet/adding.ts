/** Adds a payment method to the wallet: check, tokenize, save, in this order. */
import { dayIn } from '../core/day.js';
import { ok, refused, type Result } from '../core/result.js';
import { checkRequestId, isId } from '../core/page-ids.js';
import { NO_PROCESSOR } from '../processor/rules/port.js';
import { refuseEnded, type AccountSession, type CustomerSession } from '../sessions/rules/session.js';
import { addMethod, walletFullRefusal } from './methods.js';
import type { Method } from './rules.js';
import type { BusinessUnit } from '../platform/config/config.js';
import type { StoreTx } from '../core/store.js';
import type { Deps } from '../deps.js';
import {
  checkNewSource,
  discard,
  discardUnlessStored,
  storeToken,
  type Exchange,
  type TokenizingParts,
} from './tokenizing.js';
import { defined } from '../core/defined.js';

export type AddingParts = Pick<
  Deps,
  'env' | 'store' | 'background' | 'clock' | 'newId' | 'processor' | 'waiting' | 'log'
>;

interface Prepared {
  readonly exchange: Exchange;
  readonly tokenizing: TokenizingParts;
}

/** Resolves to the method. Idempotent by `requestId`. */
export async function addSavedMethod(
  parts: AddingParts,
  session: AccountSession | CustomerSession,
  {
    paymentMethods: methods,
    countries,
    timeZone,
  }: Pick<BusinessUnit, 'paymentMethods' | 'countries' | 'timeZone'>,
  body: Record<string, unknown>,
): Promise<Result<Method>> {
  const { store, background = store, processor, clock, newId } = parts;
  const requestId = checkRequestId(body, 'requestId');
  if (!requestId.ok) return requestId;

  const { customerId } = session;
  // Only the wallet changes existing methods and the default.
  const isWallet = session.flow === 'wallet';
  const updates = isWallet && isId(body['renews']) ? body['renews'] : undefined;
  const prepare = async (tx: StoreTx): Promise<Result<Method | Prepared>> => {
    const [existing, others] = await Promise.all([
      tx.methods.findByRequest(customerId, requestId.value),
      tx.methods.ofCustomer(customerId),
    ]);
    if (existing) return ok(existing);
    if (!processor) return refused('payments_unavailable', NO_PROCESSOR);

    const tokenizing = { ...parts, processor };
    const source = checkNewSource(tokenizing, body['source'], {
      session,
      methods,
      countries,
      today: dayIn(clock.now(), timeZone),
      refusalOf: (typed) => (updates === undefined ? walletFullRefusal(others, typed) : null),
    });
    return source.ok ? ok({ exchange: await source.value(tx), tokenizing }) : source;
  };
  // Not a read, so that a repeated response is as durable as the first.
  const prepared = await store.transaction(prepare, { repeatable: true });
  if (!prepared.ok) return prepared;
  if ('id' in prepared.value) return ok(prepared.value);

  const { exchange, tokenizing } = prepared.value;
  const tokenized = await exchange();
  if (!tokenized.ok) return tokenized;

  const input = defined({ ...tokenized.value, customerId, requestId: requestId.value, session, updates });
  const context = { now: clock.now(), newId };
  const added = await storeToken(
    store,
    async (tx) =>
      // The session may have ended since the request was admitted.
      refuseEnded(await tx.sessions.lock(session), context.now) ??
      addMethod(tx, input, isWallet && body['makeDefault'] === true, context),
    () =>
      discardUnlessStored({ ...tokenizing, store: background }, session, input, async (tx) => {
        const saved = await tx.methods.ofCustomer(customerId);
        return saved.some(({ token }) => token === input.token);
      }),
  );
  if (!added.ok || added.value.token !== input.token) discard(tokenizing, session, input);
  return added;
}

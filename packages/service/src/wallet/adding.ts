/** Adds a payment method to the wallet: check, tokenize, save, in this order. */
import { dayIn } from '../core/day.js';
import { ok, refused, type Result } from '../core/result.js';
import { checkRequestId, isId } from '../core/page-ids.js';
import { NO_PROCESSOR } from '../processor/rules/port.js';
import { refuseEnded, type AccountSession, type CustomerSession } from '../sessions/rules/session.js';
import type { TokenizedSource } from '../payments/rules/attempt.js';
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
  type Preflight,
  type TokenizingDeps,
  type TypedSource,
} from './tokenizing.js';
import { defined } from '../core/defined.js';

interface Prepared {
  readonly source: TypedSource;
  readonly preflight: Preflight;
  readonly tokenizing: TokenizingDeps;
}

type Unit = Pick<BusinessUnit, 'paymentMethods' | 'countries' | 'timeZone'>;

/** A request to add a method, whose source is not yet checked. */
interface Addition {
  readonly session: AccountSession | CustomerSession;
  readonly requestId: string;
  readonly source: unknown;
  /** The saved card that the new one renews. */
  readonly renews: string | undefined;
  readonly asDefault: boolean;
}

/** Resolves to the method. Idempotent by `requestId`. */
export async function addSavedMethod(
  parts: Deps,
  session: AccountSession | CustomerSession,
  unit: Unit,
  body: Record<string, unknown>,
): Promise<Result<Method>> {
  const requestId = checkRequestId(body, 'requestId');
  if (!requestId.ok) return requestId;

  // Only the wallet changes existing methods and the default.
  const isWallet = session.flow === 'wallet';
  const addition: Addition = {
    session,
    requestId: requestId.value,
    source: body['source'],
    renews: isWallet && isId(body['renews']) ? body['renews'] : undefined,
    asDefault: isWallet && body['makeDefault'] === true,
  };
  // Not a read, so that a repeated response is as durable as the first.
  const prepared = await parts.store.transaction((tx) => prepare(tx, parts, unit, addition), {
    repeatable: true,
  });
  if (!prepared.ok) return prepared;
  if ('id' in prepared.value) return ok(prepared.value);

  const { source, preflight, tokenizing } = prepared.value;
  const tokenized = await source.tokenize(preflight);
  return tokenized.ok ? save(tokenizing, addition, tokenized.value) : tokenized;
}

/** Checks the source. Resolves to the method if an earlier request has added it. */
async function prepare(
  tx: StoreTx,
  parts: Deps,
  { paymentMethods: methods, countries, timeZone }: Unit,
  { session, requestId, source: typed, renews }: Addition,
): Promise<Result<Method | Prepared>> {
  const { processor, clock } = parts;
  const [existing, others] = await Promise.all([
    tx.methods.findByRequest(session.customerId, requestId),
    tx.methods.ofCustomer(session.customerId),
  ]);
  if (existing) return ok(existing);
  if (!processor) return refused('payments_unavailable', NO_PROCESSOR);

  const tokenizing = { ...parts, processor };
  const source = checkNewSource(tokenizing, typed, {
    session,
    methods,
    countries,
    today: dayIn(clock.now(), timeZone),
  });
  if (!source.ok) return source;

  const full = renews === undefined ? walletFullRefusal(others, source.value) : null;
  return full ?? ok({ source: source.value, preflight: await source.value.preflight(tx), tokenizing });
}

/** Saves the tokenized method, or deletes its token. */
async function save(
  tokenizing: TokenizingDeps,
  { session, requestId, renews, asDefault }: Addition,
  source: TokenizedSource,
): Promise<Result<Method>> {
  const { store, background = store, clock, newId } = tokenizing;
  const { customerId } = session;
  const input = defined({ ...source, customerId, requestId, session, renews, asDefault });
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

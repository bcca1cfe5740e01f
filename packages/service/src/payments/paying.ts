/** Handles Pay: check, tokenize, begin, charge, in this order. */
import { dayIn } from '../core/day.js';
import { checkAgreed, debitTerms, type DebitTerms } from './rules/authorization.js';
import { wordingOf } from '../texts/wording.js';
import { bankDebitText } from '../shared/authorization-text.js';
import type { Attempt, AttemptSource, ChosenCharge } from './rules/attempt.js';
import { ok, invalid, refused, type Validated, type Result } from '../core/result.js';
import { checkRequestId, isId } from '../core/page-ids.js';
import { checkFields, checkSave, chooseCharges, offeredCharges, offeredMethods } from './rules/payment.js';
import { NO_PROCESSOR } from '../processor/rules/port.js';
import { attemptRefusal, type PaymentSession } from '../sessions/rules/session.js';
import { isRecord } from '../processor/rules/source.js';
import { idSecret } from '../accounts/sync.js';
import { derivedId } from '../platform/ids.js';
import { withPayer } from './context.js';
import { ATTEMPT_REFUSED, beginPayment, type PaymentInput, type StartedPayment } from './attempts.js';
import { inFlight, type StoreTx } from '../core/store.js';
import type { Language } from '../shared/languages.js';
import { methodRemoved, usableMethod } from '../wallet/methods.js';
import { sourceOf, type Method } from '../wallet/rules.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { containsCard } from '../processor/rules/typed-number.js';
import {
  checkNewSource,
  discard,
  discardUnlessStored,
  misplacedIn,
  storeToken,
  type TokenizingDeps,
  type TypedSource,
} from '../wallet/tokenizing.js';

/** Resolves to the attempt. A repeated `attemptId` returns its attempt and ignores the rest of the body. */
export async function pay(
  deps: Deps,
  session: PaymentSession,
  business: BusinessUnit,
  body: Record<string, unknown>,
): Promise<Result<Attempt>> {
  const { store, clock, charging } = deps;
  const checkedId = checkRequestId(body, 'attemptId');
  if (!checkedId.ok) return checkedId;

  const requestId = checkedId.value;
  const now = clock.now();
  // Not a read, so that a repeated response is as durable as the first.
  const { existing, prepared } = await store.transaction(
    async (tx) => {
      // Not awaited here, because each round trip to the database delays the payer.
      const existing = inFlight(tx.attempts.find(session.id, requestId));
      return { existing, prepared: await prepare(tx, deps, session, business, body, requestId, now) };
    },
    { repeatable: true },
  );
  const earlier = await existing.result;
  if (earlier) return ok(earlier);
  if (!prepared.ok) return prepared;

  const { order, tokenize, tokenizing } = prepared.value;
  const tokenized = await tokenize();
  if (!tokenized.ok) return tokenized;

  const input = paymentInput(session, requestId, order, tokenized.value);
  const started = await begin(tokenizing, session, input, order.source.kind);
  if (!started.ok) return started;

  const { attempt, isNew } = started.value;
  return ok(isNew ? await withPayer(session, () => charging.callAndWait(attempt)) : attempt);
}

/** Checks the request. Counts a typed source, unless the request has begun a payment. */
async function prepare(
  tx: StoreTx,
  deps: Deps,
  session: PaymentSession,
  business: BusinessUnit,
  body: Record<string, unknown>,
  requestId: string,
  now: number,
) {
  const { processor } = deps;
  if (!processor) return refused('payments_unavailable', NO_PROCESSOR);

  const reason = attemptRefusal(session, now);
  if (reason !== null) return ATTEMPT_REFUSED[reason];

  const tokenizing = { ...deps, processor };
  const saved = await savedMethod(tx, session, business, body['source'], now);
  const order = checkOrder(tokenizing, session, business, body, saved, now);
  if (!order.ok) return order;

  const { source } = order.value;
  const tokenize =
    source.kind === 'typed' ? await source.preflight(tx, requestId) : () => ok(sourceOf(source.method));
  return ok({ order: order.value, tokenize, tokenizing });
}

const NOT_OFFERED = invalid({
  field: 'source.method',
  message: 'This payment method is no longer offered here. Choose another.',
  reason: 'method_not_offered',
});

/** Stores the attempt, or deletes the token of a typed source. */
async function begin(
  tokenizing: TokenizingDeps,
  session: PaymentSession,
  input: Omit<PaymentInput, 'id'>,
  kind: Order['source']['kind'],
): Promise<Result<StartedPayment>> {
  const { config, env, store, background = store, clock, newId } = tokenizing;
  const { source, requestId } = input;
  const context = { now: clock.now(), newId };
  const discardUnstored = () =>
    discardUnlessStored({ ...tokenizing, store: background }, session, source, async (tx) => {
      const attempt = await tx.attempts.find(session.id, requestId);
      return attempt?.source.token === source.token;
    });

  // The config may have changed since then.
  const current = unitOf(config, session.businessUnit);
  const started = current?.paymentMethods.includes(source.method)
    ? await storeToken(
        store,
        (tx, repeated) =>
          beginPayment(
            tx,
            { ...input, id: idOf(tx, env, input) },
            { ...context, timeZone: current.timeZone },
            repeated,
          ),
        () => {
          if (kind === 'typed') discardUnstored();
        },
      )
    : NOT_OFFERED;
  const isUsed = started.ok && started.value.isNew;
  if (kind === 'typed' && !isUsed) discard(tokenizing, session, source);
  return started;
}

/**
 * Includes the secret: the payer knows the other parts, and anyone who can compute the id could report an outcome for
 * it.
 */
async function idOf(
  tx: StoreTx,
  env: Deps['env'],
  { session, requestId }: Pick<PaymentInput, 'session' | 'requestId'>,
): Promise<string> {
  return derivedId('pay_', session.createdAt, await idSecret(tx), env, 'press', session.id, requestId);
}

interface SavedSource {
  readonly kind: 'saved';
  readonly method: Method;
}

interface Order {
  readonly charges: readonly ChosenCharge[];
  readonly total: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly save: boolean;
  /** The authorization's language and terms. */
  readonly agreed: { readonly language: Language; readonly terms: DebitTerms };
  readonly source: SavedSource | TypedSource;
}

/** Validates the body and reports all problems together. */
function checkOrder(
  tokenizing: TokenizingDeps,
  session: PaymentSession,
  business: BusinessUnit,
  body: Record<string, unknown>,
  saved: Validated<Method> | null,
  now: number,
): Validated<Order> {
  const { request, customerId } = session;
  const { countries, paymentFields, paymentMethods, allowAmountAdjustment } = business;
  const methods = offeredMethods(paymentMethods, request.PaymentMethods);
  const offered = offeredCharges(request.Charges, allowAmountAdjustment);

  const charges = chooseCharges(offered, body['charges']);
  const fields = checkFields(paymentFields, request.PaymentFields, body['fields']);
  const save = checkSave(body['saveMethod'], customerId);
  // A page that was opened before midnight shows the day before.
  const days = [debitTerms(business, now), debitTerms(business, session.createdAt)] as const;
  const agreed = checkAgreed(body, business, ...days);
  const today = dayIn(now, business.timeZone);
  const texts = fields.ok ? fields.value : {};
  const source =
    saved === null
      ? checkNewSource(tokenizing, body['source'], { session, methods, countries, today, fields: texts })
      : checkSavedSource(saved, texts);
  if (!charges.ok || !fields.ok || !save.ok || !agreed.ok || !source.ok) {
    const parts = [charges, fields, save, agreed, source];
    return invalid(...parts.flatMap((part) => (part.ok ? [] : part.problems)));
  }

  return ok({
    ...charges.value,
    fields: fields.value,
    save: saved === null && save.value,
    agreed: agreed.value,
    source: source.value,
  });
}

function paymentInput(
  session: PaymentSession,
  requestId: string,
  { charges, total, fields, save, agreed: { language, terms } }: Order,
  source: Omit<AttemptSource, 'save'>,
): Omit<PaymentInput, 'id'> {
  // Only for bank debits, because composing the text takes longer than validating the request.
  const wording = source.method === 'ACH' && wordingOf(language, terms.business);
  const debit = { last4: source.last4, today: terms.today };
  const text = wording && bankDebitText(wording, { ...debit, total: wording.money(total) });
  return {
    session,
    requestId,
    source: { ...source, save },
    charges,
    total,
    fields,
    authorization: text || null,
  };
}

/** The saved method that the payer chose. Resolves to null for a typed one. */
async function savedMethod(
  tx: StoreTx,
  { customerId, request }: PaymentSession,
  { paymentMethods, timeZone }: BusinessUnit,
  input: unknown,
  now: number,
): Promise<Validated<Method> | null> {
  const methodId = isRecord(input) ? input['savedMethodId'] : undefined;
  if (methodId === undefined) return null;

  const field = 'source.savedMethodId';
  if (customerId === undefined || !isId(methodId)) return invalid(methodRemoved(field));
  const methods = offeredMethods(paymentMethods, request.PaymentMethods);
  return usableMethod(tx, methodId, { customerId, methods, day: dayIn(now, timeZone), field });
}

function checkSavedSource(
  saved: Validated<Method>,
  fields: Readonly<Record<string, string>>,
): Validated<SavedSource> {
  if (!saved.ok) return saved;

  const method = saved.value;
  const misplaced = misplacedIn(fields, (text) => containsCard(text, method.last4));
  return misplaced.length > 0 ? invalid(...misplaced) : ok({ kind: 'saved', method });
}

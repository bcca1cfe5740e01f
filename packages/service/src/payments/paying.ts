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
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { attemptRefusal, type PaymentSession } from '../sessions/rules/session.js';
import { checkExpiry, isRecord } from '../processor/rules/source.js';
import { idSecret } from '../accounts/account-ids.js';
import { derivedId } from '../platform/ids.js';
import { ATTEMPT_REFUSED, beginPayment, type PaymentInput } from './attempts.js';
import type { StoreTx } from '../core/store.js';
import type { Language } from '../shared/languages.js';
import { ownMethod } from '../wallet/methods.js';
import { sourceOf, type Method } from '../wallet/rules.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { containsTypedCard } from '../processor/rules/typed-number.js';
import {
  checkNewSource,
  discard,
  discardUnlessStored,
  misplacedIn,
  storeToken,
  type TokenizingParts,
} from '../wallet/tokenizing.js';

export type PayingParts = Pick<
  Deps,
  | 'env'
  | 'store'
  | 'background'
  | 'clock'
  | 'newId'
  | 'charging'
  | 'config'
  | 'processor'
  | 'waiting'
  | 'secrets'
  | 'log'
>;

/** Resolves to the attempt. A repeated `attemptId` returns its attempt and ignores the rest of the body. */
export async function pay(
  parts: PayingParts,
  session: PaymentSession,
  business: BusinessUnit,
  body: Record<string, unknown>,
): Promise<Result<Attempt>> {
  const { env, store, clock, newId, charging, config } = parts;
  const requestId = checkRequestId(body, 'attemptId');
  if (!requestId.ok) return requestId;

  const now = clock.now();
  // Not a read, so that a repeated response is as durable as the first.
  const begun = await store.transaction(
    (tx) => prepare(tx, parts, { session, business, body, now, requestId: requestId.value }),
    { repeatable: true },
  );
  if (!begun.ok) return begun;
  if ('attempt' in begun.value) return ok(begun.value.attempt);

  const { order, secret, exchange, discardToken, discardUnstored } = begun.value;
  const source = await exchange();
  if (!source.ok) return source;

  // With the secret, because the payer knows the rest, and someone who knows the id could report an outcome for it.
  const id = derivedId('pay_', session.createdAt, secret, env, 'press', session.id, requestId.value);
  const input = paymentInput(id, session, requestId.value, order, source.value);
  const context = { now: clock.now(), newId };
  // The config may have changed meanwhile.
  const current = unitOf(config, session.businessUnit);
  const started = current?.paymentMethods.includes(source.value.method)
    ? await storeToken(
        store,
        (tx, repeated) => beginPayment(tx, input, context, repeated),
        () => discardUnstored(source.value),
      )
    : NOT_OFFERED;
  const isUsed = started.ok && started.value.isNew;
  if (!isUsed) discardToken(source.value);
  if (!started.ok) return started;

  const { attempt, isNew } = started.value;
  return ok(isNew ? await charging.callAndWait(attempt) : attempt);
}

const NOT_OFFERED = invalid({
  field: 'source.method',
  message: 'This payment method is no longer offered here. Choose another.',
  reason: 'method_not_offered',
});

interface Press {
  readonly session: PaymentSession;
  readonly business: BusinessUnit;
  readonly body: Record<string, unknown>;
  readonly now: number;
  readonly requestId: string;
}

interface Prepared {
  readonly order: Order;
  /** See `idSecret`. */
  readonly secret: string;
  /** Tokenizes a typed source. Call it after the commit. */
  readonly exchange: () => Promise<Result<SavedSource>>;
  /** Call it if the source is not charged. */
  readonly discardToken: (source: SavedSource) => void;
  /** Call it if it is unknown whether the attempt was stored. */
  readonly discardUnstored: (source: SavedSource) => void;
}

/** Checks the body, and counts a typed source. Resolves to the attempt if the request was sent before. */
async function prepare(
  tx: StoreTx,
  parts: PayingParts,
  { session, business, body, now, requestId }: Press,
): Promise<Result<Prepared | { readonly attempt: Attempt }>> {
  const { processor } = parts;
  // Sent together, because each round trip to the database delays the payer.
  const [attempt, saved, secret] = await Promise.all([
    tx.attempts.find(session.id, requestId),
    savedSource(tx, session, body['source']),
    idSecret(tx),
  ]);
  if (attempt) return ok({ attempt });
  if (!processor) return refused('payments_unavailable', NO_PROCESSOR);

  const reason = attemptRefusal(session, now);
  if (reason !== null) return ATTEMPT_REFUSED[reason];

  const tokenizing = { ...parts, processor };
  const order = checkOrder(tokenizing, session, business, body, saved, now);
  if (!order.ok) return order;

  return ok({
    order: order.value,
    secret,
    exchange: await order.value.source(tx),
    discardToken: (source) => {
      if (saved === undefined) discard(tokenizing, session, source);
    },
    discardUnstored: (source) => {
      if (saved === undefined)
        discardUnlessStored(
          { ...tokenizing, store: parts.background ?? parts.store },
          session,
          source,
          async (stored) => {
            const attempt = await stored.attempts.find(session.id, requestId);
            return attempt?.source.token === source.token;
          },
        );
    },
  });
}

/** The payer's validated input. */
interface Order {
  readonly charges: readonly ChosenCharge[];
  readonly total: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly save: boolean;
  /** The authorization's language and terms. */
  readonly agreed: { readonly language: Language; readonly terms: DebitTerms };
  /** See `TypedSource`. */
  readonly source: (tx: StoreTx) => Promise<() => Promise<Result<SavedSource>>>;
}

/** Validates the body, reporting all problems at once. */
function checkOrder(
  tokenizing: TokenizingParts,
  session: PaymentSession,
  business: BusinessUnit,
  body: Record<string, unknown>,
  saved: Method | null | undefined,
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
    saved === undefined
      ? checkNewSource(tokenizing, body['source'], { session, methods, countries, today, fields: texts })
      : checkSavedSource(saved, methods, texts, today);
  if (!charges.ok || !fields.ok || !save.ok || !agreed.ok || !source.ok) {
    const parts = [charges, fields, save, agreed, source];
    return invalid(...parts.flatMap((part) => (part.ok ? [] : part.problems)));
  }

  return ok({
    ...charges.value,
    fields: fields.value,
    save: saved === undefined && save.value,
    agreed: agreed.value,
    source: source.value,
  });
}

function paymentInput(
  id: string,
  { id: sessionId, businessUnit }: PaymentSession,
  requestId: string,
  { charges, total, fields, save, agreed: { language, terms } }: Order,
  source: SavedSource,
): PaymentInput {
  const debit = { total, last4: source.last4, today: terms.today };
  // Only for bank debits, because composing the text takes longer than validating the request.
  const text = source.method === 'ACH' && bankDebitText(wordingOf(language, terms.business), debit);
  return {
    id,
    businessUnit,
    sessionId,
    requestId,
    source: { ...source, save },
    charges,
    total,
    fields,
    authorization: text || null,
  };
}

/** Finds the saved method; null if the payer has no such method, undefined for a new source. */
async function savedSource(
  tx: StoreTx,
  { customerId }: PaymentSession,
  input: unknown,
): Promise<Method | null | undefined> {
  const methodId = isRecord(input) ? input['savedMethodId'] : undefined;
  if (methodId === undefined) return undefined;
  return customerId !== undefined && isId(methodId) ? ownMethod(tx, customerId, methodId) : null;
}

type SavedSource = Omit<AttemptSource, 'save'>;

function checkSavedSource(
  saved: Method | null,
  methods: readonly PaymentMethod[],
  fields: Readonly<Record<string, string>>,
  today: string,
): Validated<Order['source']> {
  const field = 'source.savedMethodId';
  if (!saved || !methods.includes(saved.method)) {
    const message = 'This payment method cannot be used here. Choose another.';
    return invalid({ field, message, reason: saved ? 'method_not_offered' : 'method_removed' });
  }
  const expired = saved.expiry === undefined ? null : checkExpiry(saved.expiry, today);
  if (expired !== null) return invalid({ field, message: expired, reason: 'card_expired' });
  const misplaced = misplacedIn(fields, (text) => containsTypedCard(text, saved.last4));
  if (misplaced.length > 0) return invalid(...misplaced);
  return ok(async () => async () => ok(sourceOf(saved)));
}

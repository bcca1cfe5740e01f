/** Changes a payer's saved methods, each in one transaction. */
import { isBlank } from '@embedded-sessions/server-types/schemas';
import { aboutMethod, announce } from '../webhooks/announce.js';
import type { Attempt, TokenizedSource } from '../payments/rules/attempt.js';
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Session } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import {
  chargeObstacle,
  defaultAmong,
  forbiddingCode,
  isFull,
  isSameMethod,
  looksLike,
  MAX_METHODS,
  MAX_TRIES,
  remainderOf,
  removalBlockedBy,
  type Method,
  type MethodUse,
} from './rules.js';
import {
  ok,
  invalid,
  refused,
  type Validated,
  type Result,
  type Problem,
  type Refused,
} from '../core/result.js';
import { isId } from '../core/page-ids.js';
import { containsLongNumber } from '../processor/rules/typed-number.js';
import { unprintable } from '../processor/rules/source.js';
import { defined } from '../core/defined.js';
import { MAX_METHOD_NAME } from '../shared/limits.js';

export interface WalletEntry {
  readonly method: Method;
  readonly isDefault: boolean;
  readonly uses: readonly MethodUse[];
}

export interface NewMethod extends TokenizedSource {
  readonly customerId: string;
  readonly requestId: string;
  readonly session: Session;
  /** The saved card that this one renews. */
  readonly renews?: string;
  /** Whether it becomes the default. The first method always does. */
  readonly asDefault?: boolean;
}

/** A customer's methods, oldest first. */
export async function walletOf(tx: StoreTx, customerId: string): Promise<WalletEntry[]> {
  const methods = await tx.methods.ofCustomer(customerId);
  if (methods.length === 0) return [];

  // Read together, because a page reads a whole wallet.
  const [defaultId, uses] = await Promise.all([
    tx.methods.defaultOf(customerId),
    tx.methods.uses(methods.map(({ id }) => id)),
  ]);
  return methods.map((method) => ({
    method,
    isDefault: method.id === defaultId,
    uses: uses.get(method.id) ?? [],
  }));
}

/** Includes removed methods, because scheduled payments still show them. */
export async function walletEntry(tx: StoreTx, methodId: string): Promise<WalletEntry | null> {
  const method = await tx.methods.get(methodId);
  if (!method) return null;
  const isDefault = (await tx.methods.defaultOf(method.customerId)) === method.id;
  return { method, isDefault, uses: (await tx.methods.uses([methodId])).get(methodId) ?? [] };
}

/** Updates a method that is already saved. Call {@link announceAdded} next. */
export async function saveMethod(
  tx: StoreTx,
  input: NewMethod,
  { now, newId }: TxContext,
): Promise<Result<Method>> {
  const { customerId, asDefault = false } = input;
  const others = await tx.methods.ofCustomer(customerId);
  const same = others.find((other) => other.id === input.renews || isSameMethod(other, input));
  if (same) {
    const { replaced = [] } = same;
    if (replaced.length >= MAX_REPLACED || replaced.join('').length >= MAX_REPLACED_LENGTH)
      return refused(
        'rate_limited',
        'You have entered this payment method too many times. Try again in a few minutes.',
      );

    const updated = updatedMethod(same, input, now);
    await tx.methods.update(updated);
    if (asDefault) await writeDefault(tx, customerId, same.id);
    return ok(updated);
  }
  if (isFull(others)) return walletFull();

  const saved = newMethod(input, newId('pm_'), now);
  await tx.methods.insert(saved);
  await writeDefault(tx, customerId, asDefault ? saved.id : undefined);
  return ok(saved);
}

/** Tokens of a method that the processor has yet to forget. */
const MAX_REPLACED = 20;
/** Their characters in total, because each read of a wallet reads them. A token may have 4,000. */
const MAX_REPLACED_LENGTH = 8_000;

/**
 * Makes a method the default. Without `methodId`, keeps the default if it is still in the wallet, or else chooses
 * another. Always writes the wallet's row, so that concurrent changes conflict: a method that is being removed can't
 * become the default.
 */
async function writeDefault(tx: StoreTx, customerId: string, methodId?: string): Promise<void> {
  const [methods, current] = await Promise.all([
    tx.methods.ofCustomer(customerId),
    tx.methods.defaultOf(customerId),
  ]);
  await tx.methods.setDefault(customerId, defaultAmong(methods, methodId ?? current));
}

export async function announceAdded(
  tx: StoreTx,
  saved: Method,
  { requestId, session }: Pick<NewMethod, 'requestId' | 'session'>,
  context: TxContext,
): Promise<void> {
  if (saved.requestId === requestId)
    await announce(tx, 'payment_method.added', session, context, aboutMethod(saved));
}

function updatedMethod(
  saved: Method,
  { token, holder, fingerprint, expiry }: NewMethod,
  now: number,
): Method {
  const isReplaced = token !== saved.token;
  // A payer may return to an earlier entry, whose token must not be forgotten.
  const replaced = [...(saved.replaced ?? []), saved.token].filter((each) => each !== token);
  return {
    ...saved,
    token,
    holder,
    ...defined({ fingerprint, expiry }),
    ...(isReplaced ? { replaced, forgetAt: now } : {}),
  };
}

function newMethod(input: NewMethod, id: string, now: number): Method {
  const { session, customerId, requestId, method, token, brand, last4, fingerprint, expiry, holder } = input;
  return defined({
    id,
    businessUnit: session.businessUnit,
    customerId,
    requestId,
    method,
    token,
    last4,
    holder,
    brand,
    fingerprint,
    expiry,
    createdAt: now,
  });
}

export async function addMethod(tx: StoreTx, input: NewMethod, context: TxContext): Promise<Result<Method>> {
  const existing = await tx.methods.findByRequest(input.customerId, input.requestId);
  if (existing) return ok(existing);

  const { businessUnit } = input.session;
  const problem = (await blockProblem(tx, businessUnit, input)) ?? (await renewalProblem(tx, input));
  if (problem) return invalid(problem);

  const saved = await saveMethod(tx, input, context);
  if (saved.ok) await announceAdded(tx, saved.value, input, context);
  return saved;
}

/** The problem with a typed account that is blocked, or null. */
export async function blockProblem(
  tx: StoreTx,
  businessUnit: string,
  { method, fingerprint }: Pick<TokenizedSource, 'method' | 'fingerprint'>,
): Promise<Problem | null> {
  const block = await tx.methods.blockOf(businessUnit, fingerprint);
  return block === null ? null : methodBlocked(NUMBER_FIELDS[method]);
}

async function renewalProblem(tx: StoreTx, input: NewMethod): Promise<Problem | null> {
  if (input.renews === undefined) return null;

  const saved = await ownMethod(tx, input.customerId, input.renews);
  if (!saved) return methodRemoved('renews');
  const { fingerprint = input.fingerprint } = saved;
  const isOther = input.fingerprint !== undefined && input.fingerprint !== fingerprint;
  if (saved.method === 'Credit Card' && looksLike(saved, input) && !isOther) return null;

  const message = `This is not the card ending in ${saved.last4}.`;
  return { field: 'source.cardNumber', message };
}

function typedName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return isBlank(value) ? '' : value.trim();
}

/** Sets the payer's name for a method. An empty name removes it. */
export async function nameMethod(
  tx: StoreTx,
  customerId: string,
  methodId: string,
  value: unknown,
): Promise<Result<WalletEntry[]>> {
  const name = typedName(value);
  if (name === null || name.length > MAX_METHOD_NAME || unprintable(name))
    return invalid({ field: 'name', message: `A name has at most ${MAX_METHOD_NAME} characters.` });

  const method = await ownMethod(tx, customerId, methodId);
  if (!method) return refused('not_found', 'This payment method was removed.');

  if (containsLongNumber(name))
    return invalid({ field: 'name', message: 'A name must not contain the number of a card or account.' });

  const { name: _, ...unnamed } = method;
  await tx.methods.update(name === '' ? unnamed : { ...unnamed, name });
  return ok(await walletOf(tx, customerId));
}

/** The part of a new method that is known before tokenizing. */
export type TypedMethod = Pick<Method, 'method' | 'last4'>;

/** Call it before tokenizing. A method that may already be saved needs no room. */
export function walletFullRefusal(others: readonly Method[], { method, last4 }: TypedMethod): Refused | null {
  const mayBeSaved = others.some((other) => other.method === method && other.last4 === last4);
  return isFull(others) && !mayBeSaved ? walletFull() : null;
}

function walletFull(): Refused {
  const message = `${MAX_METHODS} payment methods are already saved. Delete one to add another.`;
  return refused('conflict', message, 'wallet_full');
}

/** Counts a new method before it is sent to the processor, unless its request has already begun a payment. */
export async function countTry(tx: StoreTx, sessionId: string, requestId?: string): Promise<Refused | null> {
  return (await tx.sessions.countTry(sessionId, requestId)) <= MAX_TRIES
    ? null
    : refused(
        'too_many_attempts',
        'Too many payment methods were tried in this session. Go back and start again.',
      );
}

export async function makeDefault(
  tx: StoreTx,
  customerId: string,
  methodId: string,
): Promise<Result<WalletEntry[]>> {
  const method = await ownMethod(tx, customerId, methodId);
  if (!method) return refused('not_found', 'This payment method was removed.');

  await writeDefault(tx, customerId, method.id);
  return ok(await walletOf(tx, customerId));
}

/** Removes an unused method. Idempotent. */
export async function removeMethod(
  tx: StoreTx,
  customerId: string,
  methodId: string,
  session: Session,
  context: TxContext,
): Promise<Result<WalletEntry[]>> {
  const method = await tx.methods.get(methodId);
  if (method?.customerId !== customerId) return refused('not_found', 'There is no such payment method.');
  if (method.removedAt !== undefined) return ok(await walletOf(tx, customerId));

  const blocked = removalBlockedBy((await tx.methods.uses([methodId])).get(methodId) ?? []);
  if (blocked !== null) return refused('conflict', blocked.message, blocked.reason);

  const { token, replaced } = method;
  const tokens = { token, ...defined({ replaced }), forgetAt: context.now };
  await tx.methods.update({ ...remainderOf(method), ...tokens, removedAt: context.now });
  await writeDefault(tx, customerId);
  await announce(tx, 'payment_method.removed', session, context, aboutMethod(method));
  return ok(await walletOf(tx, customerId));
}

export interface ChargeConstraints {
  readonly customerId: string;
  readonly methods: readonly PaymentMethod[];
  /** When it will be charged, `YYYY-MM-DD` in the business unit's time zone. */
  readonly day: string;
  readonly field?: string;
}

export async function usableMethod(
  tx: StoreTx,
  methodId: unknown,
  { customerId, methods, day, field = 'methodId' }: ChargeConstraints,
): Promise<Validated<Method>> {
  if (!isId(methodId)) return invalid({ field, message: 'Choose a payment method.' });

  const method = await ownMethod(tx, customerId, methodId);
  if (!method) return invalid(methodRemoved(field));
  switch (chargeObstacle(method, methods, day)) {
    case 'blocked':
      return invalid(methodBlocked(field));
    case 'not_accepted': {
      const message = `${method.method} is not offered here. Choose another.`;
      return invalid({ field, message, reason: 'method_not_offered' });
    }
    case 'expired': {
      const message = 'This card has expired, or will have expired by then. Choose another.';
      return invalid({ field, message, reason: 'card_expired' });
    }
    case null:
      return ok(method);
  }
}

export function methodRemoved(field: string): Problem {
  return { field, message: 'This payment method was removed. Choose another.', reason: 'method_removed' };
}

/** The fields next to which pages show that a typed account is blocked. */
const NUMBER_FIELDS: Readonly<Record<PaymentMethod, string>> = {
  'Credit Card': 'source.cardNumber',
  ACH: 'source.accountNumber',
};

export function methodBlocked(field: string): Problem {
  const message = 'The bank does not allow this account to be charged. Choose another.';
  return { field, message, reason: 'method_blocked' };
}

/** blocks the account and its saved method after a return whose code forbids further debits. */
export async function blockReturned(
  tx: StoreTx,
  { businessUnit, source, reason }: Attempt,
  now: number,
): Promise<void> {
  const code = forbiddingCode(reason);
  if (code === undefined) return;

  const method = source.methodId === undefined ? null : await tx.methods.get(source.methodId);
  const fingerprint = source.fingerprint ?? method?.fingerprint;
  if (fingerprint !== undefined) await tx.methods.block(businessUnit, fingerprint, code, now);
  // Methods saved by earlier releases have no fingerprint.
  if (method) await tx.methods.update({ ...method, blocked: code });
}

export async function ownMethod(tx: StoreTx, customerId: string, methodId: string): Promise<Method | null> {
  const method = await tx.methods.get(methodId);
  return method?.customerId === customerId && method.removedAt === undefined ? method : null;
}

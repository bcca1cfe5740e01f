/** What a payer does with saved methods, each in one transaction. */
import { aboutMethod, announce } from '../webhooks/announce.js';
import type { Attempt } from '../payments/rules/attempt.js';
import type { TxContext } from '../core/tx-context.js';
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Session } from '../sessions/rules/session.js';
import type { StoreTx } from '../core/store.js';
import {
  defaultAmong,
  forbidsAnother,
  isFull,
  isSameMethod,
  looksLike,
  MAX_METHODS,
  MAX_TRIES,
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
import { checkExpiry, unprintable } from '../processor/rules/source.js';
import { defined } from '../core/defined.js';
import { MAX_METHOD_NAME } from '../shared/limits.js';

export interface WalletEntry {
  readonly method: Method;
  readonly isDefault: boolean;
  readonly uses: readonly MethodUse[];
}

export interface NewMethod {
  readonly customerId: string;
  readonly requestId: string;
  readonly session: Session;
  readonly method: PaymentMethod;
  readonly token: string;
  readonly brand?: string;
  readonly last4: string;
  readonly fingerprint?: string;
  readonly expiry?: string;
  readonly holder: string;
  /** The saved card whose expiry date this one updates. */
  readonly updates?: string;
}

/** A customer's methods, oldest first. */
export async function walletOf(tx: StoreTx, customerId: string): Promise<WalletEntry[]> {
  const [standard, methods] = await Promise.all([
    tx.methods.defaultOf(customerId),
    tx.methods.ofCustomer(customerId),
  ]);
  const entries: WalletEntry[] = [];
  for (const method of methods) {
    entries.push({ method, isDefault: method.id === standard, uses: await usesOf(tx, method.id) });
  }
  return entries;
}

/** One method, even if removed: scheduled payments still show it. */
export async function walletEntry(tx: StoreTx, methodId: string): Promise<WalletEntry | null> {
  const method = await tx.methods.get(methodId);
  if (!method) return null;
  const isDefault = (await tx.methods.defaultOf(method.customerId)) === method.id;
  return { method, isDefault, uses: await usesOf(tx, method.id) };
}

/**
 * Saves a tokenized method; the first one becomes the default. If it is already saved, it is updated, and
 * everything that uses it continues. Null if the wallet is full. Announces nothing.
 */
export async function keepMethod(
  tx: StoreTx,
  wish: NewMethod,
  { now, newId }: TxContext,
  makeDefault = false,
): Promise<Method | null> {
  const { customerId } = wish;
  const others = await tx.methods.ofCustomer(customerId);
  const same = others.find((other) => other.id === wish.updates || isSameMethod(other, wish));
  if (same) {
    const updated = updatedMethod(same, wish, now);
    await tx.methods.update(updated);
    if (makeDefault) await tx.methods.setDefault(customerId, same.id);
    return updated;
  }
  if (isFull(others)) return null;

  const kept = newMethod(wish, newId('pm_'), now);
  await tx.methods.insert(kept);

  const current = await tx.methods.defaultOf(customerId);
  const next = makeDefault ? kept.id : defaultAmong([...others, kept], current);
  await tx.methods.setDefault(customerId, next);
  return kept;
}

function updatedMethod(
  saved: Method,
  { token, holder, fingerprint, expiry }: NewMethod,
  now: number,
): Method {
  const isReplaced = token !== saved.token;
  return {
    ...saved,
    token,
    holder,
    ...defined({ fingerprint, expiry }),
    ...(isReplaced ? { replaced: [...(saved.replaced ?? []), saved.token], forgetAt: now } : {}),
  };
}

function newMethod(wish: NewMethod, id: string, now: number): Method {
  const { session, customerId, requestId, method, token, brand, last4, fingerprint, expiry, holder } = wish;
  return {
    id,
    businessUnit: session.businessUnit,
    customerId,
    requestId,
    method,
    token,
    last4,
    holder,
    ...defined({ brand, fingerprint, expiry }),
    createdAt: now,
  };
}

/** {@link keepMethod} plus its webhook, once per `requestId`. */
export async function addMethod(
  tx: StoreTx,
  wish: NewMethod,
  makeDefault: boolean,
  context: TxContext,
): Promise<Result<Method>> {
  const known = await tx.methods.findByRequest(wish.customerId, wish.requestId);
  if (known) return ok(known);

  const problem = (await blockProblem(tx, wish)) ?? (await updateProblem(tx, wish));
  if (problem) return invalid(problem);

  const kept = await keepMethod(tx, wish, context, makeDefault);
  if (!kept) return walletFull();

  if (isNew(kept, wish)) await announce(tx, 'payment_method.added', wish.session, context, aboutMethod(kept));
  return ok(kept);
}

async function blockProblem(
  tx: StoreTx,
  { session, method, fingerprint }: NewMethod,
): Promise<Problem | null> {
  if (fingerprint === undefined) return null;

  const block = await tx.methods.blockOf(session.businessUnit, fingerprint);
  return block === null ? null : methodBlocked(NUMBER_FIELDS[method]);
}

/** The card with the new expiry date must be the same card. */
async function updateProblem(tx: StoreTx, wish: NewMethod): Promise<Problem | null> {
  if (wish.updates === undefined) return null;

  const saved = await ownMethod(tx, wish.customerId, wish.updates);
  if (!saved) return methodRemoved('renews');
  if (saved.method === 'Credit Card' && looksLike(saved, wish)) return null;

  const message = `This is not the card ending in ${saved.last4}.`;
  return { field: 'source.cardNumber', message };
}

/** False for a method that was already saved. */
export function isNew(kept: Method, wish: Pick<NewMethod, 'requestId'>): boolean {
  return kept.requestId === wish.requestId;
}

/** Sets the payer's name for a method. An empty name removes it. */
export async function nameMethod(
  tx: StoreTx,
  customerId: string,
  methodId: string,
  given: unknown,
): Promise<Result<WalletEntry[]>> {
  const name = typeof given === 'string' ? given.trim() : null;
  if (name === null || name.length > MAX_METHOD_NAME || unprintable(name))
    return invalid({ field: 'name', message: `A name has at most ${MAX_METHOD_NAME} characters.` });

  const method = await ownMethod(tx, customerId, methodId);
  if (!method) return refused('not_found', 'This payment method was removed.');

  const { name: _, ...unnamed } = method;
  await tx.methods.update(name === '' ? unnamed : { ...unnamed, name });
  return ok(await walletOf(tx, customerId));
}

/** What is known of a new method before the processor call. */
export type Typed = Pick<Method, 'method' | 'last4'>;

/**
 * The refusal if the wallet has no room for another method, else null. Call it before the processor call. A
 * method that may be saved already needs no room.
 */
export function whyFull(others: readonly Method[], { method, last4 }: Typed): Refused | null {
  const mayBeSaved = others.some((other) => other.method === method && other.last4 === last4);
  return isFull(others) && !mayBeSaved ? walletFull() : null;
}

function walletFull(): Refused {
  const message = `${MAX_METHODS} payment methods are already saved. Delete one to add another.`;
  return refused('conflict', message, 'wallet_full');
}

/** Counts a new payment method before it is sent to the processor. Refuses it after too many in one session. */
export async function countTry(tx: StoreTx, sessionId: string): Promise<Refused | null> {
  return (await tx.sessions.countTry(sessionId)) <= MAX_TRIES
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

  await tx.methods.setDefault(customerId, method.id);
  return ok(await walletOf(tx, customerId));
}

/** Removes an unused method. Removing it again changes nothing. */
export async function removeMethod(
  tx: StoreTx,
  session: Session,
  customerId: string,
  methodId: string,
  context: TxContext,
): Promise<Result<WalletEntry[]>> {
  const method = await tx.methods.get(methodId);
  if (method?.customerId !== customerId) return refused('not_found', 'There is no such payment method.');
  if (method.removedAt !== undefined) return ok(await walletOf(tx, customerId));

  const blocked = removalBlockedBy(await usesOf(tx, methodId));
  if (blocked !== null) return refused('conflict', blocked.message, blocked.reason);

  await tx.methods.update({ ...method, removedAt: context.now, forgetAt: context.now });
  const current = await tx.methods.defaultOf(customerId);
  await tx.methods.setDefault(customerId, defaultAmong(await tx.methods.ofCustomer(customerId), current));
  await announce(tx, 'payment_method.removed', session, context, aboutMethod(method));
  return ok(await walletOf(tx, customerId));
}

/** Where and when a saved method will be used. */
export interface Usable {
  readonly customerId: string;
  /** Methods that the business unit offers. */
  readonly methods: readonly PaymentMethod[];
  /** When it will be charged, ms since the epoch. */
  readonly instant: number;
}

/** The customer's method that a page names in `methodId`, if it can be charged at that time. */
export async function usableMethod(
  tx: StoreTx,
  methodId: unknown,
  { customerId, methods, instant }: Usable,
): Promise<Validated<Method>> {
  const field = 'methodId';
  if (!isId(methodId)) return invalid({ field, message: 'Choose a payment method.' });

  const method = await ownMethod(tx, customerId, methodId);
  if (!method) return invalid(methodRemoved(field));
  if (!methods.includes(method.method)) {
    const message = `${method.method} is not offered here. Choose another.`;
    return invalid({ field, message, reason: 'method_not_offered' });
  }
  if (method.blocked !== undefined) return invalid(methodBlocked(field));
  if (method.expiry === undefined || checkExpiry(method.expiry, instant) === null) return ok(method);

  const message = 'This card has expired, or will have by then. Choose another.';
  return invalid({ field, message, reason: 'card_expired' });
}

export function methodRemoved(field: string): Problem {
  return { field, message: 'This payment method was removed. Choose another.', reason: 'method_removed' };
}

/** Where a page shows that a typed account is blocked. */
export const NUMBER_FIELDS: Readonly<Record<PaymentMethod, string>> = {
  'Credit Card': 'source.cardNumber',
  ACH: 'source.accountNumber',
};

export function methodBlocked(field: string): Problem {
  const message = 'The bank does not allow this account to be charged. Choose another.';
  return { field, message, reason: 'method_blocked' };
}

/** blocks the account after a return whose code forbids another debit, and the saved method it came from. */
export async function blockReturned(
  tx: StoreTx,
  { businessUnit, source, reason }: Attempt,
  now: number,
): Promise<void> {
  if (!forbidsAnother(reason)) return;

  const method = source.methodId === undefined ? null : await tx.methods.get(source.methodId);
  const fingerprint = source.fingerprint ?? method?.fingerprint;
  if (fingerprint !== undefined) await tx.methods.block(businessUnit, fingerprint, reason, now);
  // Methods saved by an earlier release have no fingerprint.
  if (method) await tx.methods.update({ ...method, blocked: reason });
}

/** The customer's method, unless it was removed. */
export async function ownMethod(tx: StoreTx, customerId: string, methodId: string): Promise<Method | null> {
  const method = await tx.methods.get(methodId);
  return method?.customerId === customerId && method.removedAt === undefined ? method : null;
}

async function usesOf(tx: StoreTx, methodId: string): Promise<MethodUse[]> {
  return [
    ...((await tx.autopay.usesMethod(methodId)) ? (['autopay'] as const) : []),
    ...((await tx.schedules.usesMethod(methodId)) ? (['scheduled-payment'] as const) : []),
  ];
}

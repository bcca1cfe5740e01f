/** Exchanges typed card data for a token. The only code that sees card data (D-8, R-44). */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { TokenizedSource } from '../payments/rules/attempt.js';
import { formContext } from '../payments/rules/channel.js';
import { ServiceError, unavailable } from '../core/error.js';
import { ok, invalid, refused, type Problem, type Validated, type Result } from '../core/result.js';
import {
  FORGET_MS,
  type PaymentProcessor,
  type PaymentSource,
  type Tokenized,
  type BankSource,
} from '../processor/rules/port.js';
import { numberOf, readRefusal, readToken } from '../processor/rules/response.js';
import { payerEmail, type Session } from '../sessions/rules/session.js';
import { containsNumber } from '../processor/rules/typed-number.js';
import { checkSource, isRecord } from '../processor/rules/source.js';
import { type Store, type StoreTx, inFlight } from '../core/store.js';
import { type SessionSecrets, fingerprintKey } from '../platform/keys/session-keys.js';
import { countTry, methodBlocked, type TypedMethod } from './methods.js';
import { currentContext } from '../platform/context.js';
import { currentTraceparent } from '../platform/tracing.js';
import { withTimeout } from '../platform/timeouts.js';
import { describeError } from '../platform/log/log.js';
import { MAX_CALL_WAIT_MS, nameOnly } from '../processor/calls.js';
import type { Deps } from '../deps.js';
import { defined } from '../core/defined.js';
import { createHmac } from 'node:crypto';

/** A validated source, whose number never leaves this file. */
export interface TypedSource extends TypedMethod {
  readonly kind: 'typed';
  /** Counts the attempt. Resolves to a function that sends the source to the processor. Call that after the commit. */
  readonly preflight: (tx: StoreTx, requestId?: string) => Promise<() => Promise<Result<TokenizedSource>>>;
}

/** The dependencies of a service that has a processor. */
export type TokenizingDeps = Deps & { readonly processor: PaymentProcessor };

export interface SourceForm {
  readonly session: Session;
  readonly methods: readonly PaymentMethod[];
  readonly countries: readonly string[];
  readonly today: string;
  /** Other texts of the form, which are stored and must not contain the number. */
  readonly fields?: Readonly<Record<string, string>>;
}

const MIN_FIELD_NUMBER = 8;
const MISPLACED = 'Do not enter the number of your card or account here.';

export function checkNewSource(
  parts: TokenizingDeps,
  input: unknown,
  { session, methods, countries, today, fields = {} }: SourceForm,
): Validated<TypedSource> {
  const checked = checkSource(input, today, countries);
  if (!checked.ok) return checked;

  const source = checked.value;
  const number = numberOf(source);
  // Shorter account numbers can also be part of an invoice number.
  const misplaced =
    number.length < MIN_FIELD_NUMBER ? [] : misplacedIn(fields, (text) => containsNumber(text, number));
  if (misplaced.length > 0) return invalid(...misplaced);

  const { method } = source;
  if (!methods.includes(method)) {
    const message = `${method} is not offered here. Choose another payment method.`;
    return invalid({ field: 'source.method', message, reason: 'method_not_offered' });
  }
  return ok({
    kind: 'typed',
    method,
    last4: number.slice(-4),
    preflight: (tx, requestId) => preflight(tx, parts, session, source, requestId),
  });
}

/** A problem for each text that contains the payer's number: the texts are stored. */
export function misplacedIn(
  fields: Readonly<Record<string, string>>,
  containsNumber: (text: string) => boolean,
): Problem[] {
  return Object.entries(fields).flatMap(([key, text]) =>
    containsNumber(text) ? [{ field: `fields.${key}`, message: MISPLACED }] : [],
  );
}

async function callProcessor(
  parts: TokenizingDeps,
  session: Session,
  source: PaymentSource,
  email: string | undefined,
  fingerprint: string | undefined,
): Promise<Result<TokenizedSource>> {
  const { env, processor, log } = parts;
  const context = formContext(env, session, source.method, {
    descriptor: session.flow === 'payment' ? session.request.PaymentDescriptor : undefined,
    traceparent: currentTraceparent(),
    purpose: session.flow === 'payment' ? 'charge' : 'save',
    email,
    device: currentContext().device,
  });
  let pending: Promise<unknown> | undefined;
  try {
    pending = Promise.resolve(processor.tokenize(source, context));
    const response = await withTimeout(pending, MAX_CALL_WAIT_MS, 'processor_timeout');
    const tokenized = readToken(response, source);
    if (tokenized === null)
      throw new ServiceError('processor_invalid', 'The processor returned a token that cannot be stored.');
    return ok(tokenizedSource(source, { ...tokenized, ...defined({ fingerprint }) }));
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal) return invalid({ ...refusal, reason: 'source_refused' });

    // The result may still arrive, or may not be a token.
    const forgetLate = (late: unknown): void => {
      const token = isRecord(late) ? late['token'] : undefined;
      if (typeof token === 'string' && token !== '')
        discard(parts, session, { method: source.method, token });
    };
    pending?.then(forgetLate).catch(() => undefined);
    log.error('The processor could not tokenize a payment method', {
      sessionId: session.id,
      error: nameOnly(error),
    });
    const message = 'The payment could not be started and nothing was charged. Try again in a moment.';
    return refused('payments_unavailable', message);
  }
}

/** Makes the processor forget a token that isn't stored. Tries once, in the background. */
export function discard(
  { env, processor, waiting, log }: TokenizingDeps,
  session: Session,
  { method, token }: Pick<TokenizedSource, 'method' | 'token'>,
): void {
  const context = formContext(env, session, method);
  const forget = async (): Promise<void> => {
    const call = async (): Promise<void> => processor.forget?.(token, context);
    const forgotten = await waiting.run(session.businessUnit, async () => {
      await withTimeout(call(), FORGET_MS, 'forget');
      return true;
    });
    if (!forgotten) throw new ServiceError('unavailable', 'Too many requests wait for the processor.');
  };
  forget().catch((error: unknown) =>
    log.warn('The processor could not forget a refused payment method', { error: nameOnly(error) }),
  );
}

/**
 * Runs the transaction that stores a token. If it fails, calls `onFailure` and stores nothing later, because the
 * request may time out while `work` is running.
 *
 * @param work must write the session's row, which {@link discardUnlessStored} locks
 */
export async function storeToken<T>(
  store: Store,
  work: (tx: StoreTx, repeated: boolean) => Promise<T>,
  onFailure: () => void,
): Promise<T> {
  let hasFailed = false;
  try {
    return await store.transaction(
      async (tx, repeated) => {
        const result = await work(tx, repeated);
        if (hasFailed) throw unavailable(undefined);
        return result;
      },
      { repeatable: true },
    );
  } catch (error) {
    hasFailed = true;
    onFailure();
    throw error;
  }
}

/**
 * Calls {@link discard} in the background after the transaction that stores the token has failed, unless it was
 * committed nevertheless.
 *
 * @param isStored whether the transaction has stored the token
 */
export function discardUnlessStored(
  parts: TokenizingDeps,
  session: Session,
  source: Pick<TokenizedSource, 'method' | 'token'>,
  isStored: (tx: StoreTx) => Promise<boolean>,
): void {
  const { store, log } = parts;
  store
    .transaction(
      async (tx) => {
        // Waits for a COMMIT that is still being processed, which has locked this row too.
        await tx.sessions.lock(session);
        return isStored(tx);
      },
      { repeatable: true },
    )
    .then((isUsed) => isUsed || discard(parts, session, source))
    .catch((error: unknown) =>
      log.warn('A payment method that could not be stored may not have been forgotten by the processor', {
        sessionId: session.id,
        error: describeError(error),
      }),
    );
}

/** Counts the attempt (again if the transaction is repeated) and refuses a blocked bank account. */
async function preflight(
  tx: StoreTx,
  parts: TokenizingDeps,
  session: Session,
  source: PaymentSource,
  requestId?: string,
): Promise<() => Promise<Result<TokenizedSource>>> {
  const { id, businessUnit } = session;
  const tooMany = inFlight(countTry(tx, id, requestId));
  const email = inFlight(emailOf(tx, session));
  // A card's fingerprint comes from the processor, and `beginPayment` checks it.
  const bank = source.method === 'ACH' ? await checkAccount(tx, parts, businessUnit, source) : null;

  return async () => {
    const refusal = (await tooMany.result) ?? bank?.refusal;
    if (refusal) return refusal;

    const address = await email.result;
    const tokenized = await parts.waiting.run(businessUnit, () =>
      callProcessor(parts, session, source, address, bank?.fingerprint),
    );
    // Not a refusal, because the same request may have been sent twice.
    return tokenized ?? Promise.reject(unavailable(undefined, 'Too many requests wait for the processor.'));
  };
}

/** A payment session's request contains the address, which saves a statement. */
async function emailOf(tx: StoreTx, session: Session): Promise<string | undefined> {
  if (session.flow === 'payment') return payerEmail(session);
  return (await tx.customers.get(session.customerId))?.emailAddress;
}

async function checkAccount(
  tx: StoreTx,
  { secrets }: TokenizingDeps,
  businessUnit: string,
  source: BankSource,
) {
  const [fingerprint, olderFingerprint] = await accountFingerprints(tx, secrets, businessUnit, source);
  const reason =
    (await tx.methods.blockOf(businessUnit, fingerprint)) ??
    (await tx.methods.blockOf(businessUnit, olderFingerprint));
  const refusal = reason === null ? null : invalid(methodBlocked('source.accountNumber'));
  return { fingerprint, refusal };
}

function tokenizedSource(
  source: PaymentSource,
  { token, brand, last4, fingerprint }: Tokenized,
): TokenizedSource {
  return {
    method: source.method,
    token,
    last4,
    ...defined({ brand, fingerprint }),
    ...(source.method === 'ACH' ? { holder: source.holder } : { holder: source.name, expiry: source.expiry }),
  };
}

/**
 * Computes an account's fingerprint in a business unit, to recognize it without storing its number. Ignores
 * leading zeros, which banks add. The second one, if any, is for earlier releases, which kept the zeros. Each database
 * has its own key, so their fingerprints can't be compared.
 */
async function accountFingerprints(
  tx: StoreTx,
  secrets: SessionSecrets,
  businessUnit: string,
  { routingNumber, accountNumber }: BankSource,
): Promise<[string, string?]> {
  const key = await fingerprintKey(tx, secrets);
  const of = (number: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([businessUnit, routingNumber, number]))
      .digest('base64url');
  const unpadded = accountNumber.replace(/^0+/, '');
  return unpadded === accountNumber ? [of(unpadded)] : [of(unpadded), of(accountNumber)];
}

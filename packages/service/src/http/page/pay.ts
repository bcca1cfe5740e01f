/** `POST pay` and `GET attempts/{attemptId}`: the one place that ever sees card data (D-8, R-44). */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { BusinessUnit } from '../../runtime/config.js';
import type { Deps } from '../../deps.js';
import type { Attempt, AttemptSource } from '../../domain/attempt.js';
import { attemptRefused, beginPayment } from '../../domain/transactions/payment.js';
import { countTry, ownMethod, walletEntry } from '../../domain/transactions/wallet.js';
import { checkFields, chooseCharges, offeredCharges, offeredMethods } from '../../domain/payment.js';
import { isSourceRefused, processorContext } from '../../domain/processor.js';
import type { PaymentSource, Tokenized } from '../../domain/processor.js';
import { ServiceError } from '../../domain/error.js';
import type { Reason } from '../../shared/reason.js';
import { MAX_DECLINES, transition } from '../../domain/session.js';
import type { PaymentSession, Session } from '../../domain/session.js';
import { checkExpiry, checkSource, isRecord } from '../../domain/source.js';
import type { Checked, Problem } from '../../domain/source.js';
import type { StoreTx } from '../../domain/store.js';
import { inTime } from '../../runtime/in-time.js';
import { CHARGE_WAIT_MS, nameOnly } from '../../processor/charging.js';
import type { Attempt as AttemptAnswer } from '../../shared/page.js';
import { done, invalid, refusal, refuse } from './answer.js';
import { NO_PROCESSOR } from './session.js';
import { receipt, savedMethod } from './views.js';

export async function pay(
  deps: Deps,
  session: PaymentSession,
  business: BusinessUnit,
  body: Record<string, unknown>,
): Promise<Response> {
  const requestId = body['attemptId'];
  if (!isRequestId(requestId)) return invalid([badRequestId('attemptId')]);
  const known = await deps.store.transaction((tx) => tx.payments.find(session.id, requestId));
  if (known) return answer(deps, known);
  if (!deps.processor) return refuse('payments_unavailable', NO_PROCESSOR);

  const now = deps.clock.now();
  const [, effects] = transition(session, { type: 'attempt-started' }, now);
  for (const effect of effects) if (effect.type === 'refuse') return refusal(attemptRefused(effect.reason));

  const charges = chooseCharges(
    offeredCharges(session.request.Charges, business.allowAmountAdjustment),
    body['charges'],
  );
  const fields = checkFields(business.paymentFields, session.request.PaymentFields, body['fields']);
  const save = checkSave(body['saveMethod'], session);
  const methods = offeredMethods(business.paymentMethods, session.request.PaymentMethods);
  const checked = await checkAnySource(deps, session, body['source'], methods, now);
  const problems = [charges, fields, save, checked].flatMap((part) => (part.ok ? [] : part.problems));
  if (!charges.ok || !fields.ok || !save.ok || !checked.ok) return invalid(problems);

  const source = await tokenized(deps, session, checked.value, save.value);
  if (!source.ok) return source.answer;
  const occasion = { now: deps.clock.now(), newId: deps.newId };
  const begun = await deps.store.transaction((tx) =>
    beginPayment(
      tx,
      {
        sessionId: session.id,
        requestId,
        source: source.value,
        charges: charges.value.charges,
        total: charges.value.total,
        fields: fields.value,
      },
      occasion,
    ),
  );
  if (!begun.ok) return refusal(begun);
  const { attempt, isNew } = begun.value;
  return answer(deps, isNew ? await deps.charging.charge(attempt) : attempt);
}

export async function attemptStatus(
  deps: Deps,
  session: PaymentSession,
  requestId: string,
): Promise<Response> {
  const attempt = await deps.store.transaction((tx) => tx.payments.find(session.id, requestId));
  if (attempt) return answer(deps, attempt);
  const neverSeen: AttemptAnswer = { status: 'never_seen', attemptId: requestId };
  return done(neverSeen);
}

async function answer(deps: Deps, attempt: Attempt): Promise<Response> {
  return done(await deps.store.transaction((tx) => attemptAnswer(tx, attempt)));
}

async function attemptAnswer(tx: StoreTx, attempt: Attempt): Promise<AttemptAnswer> {
  const { status, requestId: attemptId, source } = attempt;
  if (status === 'processing') return { status, attemptId };
  const session = await tx.sessions.get(attempt.sessionId);
  if (status === 'declined' || status === 'returned' || session?.flow !== 'payment') {
    return {
      status: 'declined',
      attemptId,
      attemptsLeft: MAX_DECLINES - (session?.declines ?? MAX_DECLINES),
    };
  }
  const saved = source.save && source.methodId !== undefined ? await walletEntry(tx, source.methodId) : null;
  return {
    status,
    attemptId,
    receipt: receipt(session.request, attempt),
    ...(saved ? { savedMethod: savedMethod(saved) } : {}),
  };
}

type AnySource = { type: 'new'; source: PaymentSource } | { type: 'saved'; source: AttemptSource };

async function checkAnySource(
  deps: Deps,
  session: PaymentSession,
  input: unknown,
  methods: readonly PaymentMethod[],
  now: number,
): Promise<Checked<AnySource>> {
  const problem = (field: string, message: string, reason: Reason): Checked<AnySource> => ({
    ok: false,
    problems: [{ field, message, reason }],
  });
  const savedId = isRecord(input) ? input['savedMethodId'] : undefined;
  if (savedId === undefined) {
    const checked = checkSource(input, now);
    if (!checked.ok) return checked;
    return methods.includes(checked.value.method)
      ? { ok: true, value: { type: 'new', source: checked.value } }
      : problem(
          'source.method',
          `${checked.value.method} is not offered here. Choose another payment method.`,
          'method_not_offered',
        );
  }
  const { customerId } = session;
  const method =
    customerId !== undefined && isId(savedId)
      ? await deps.store.transaction((tx) => ownMethod(tx, customerId, savedId))
      : null;
  if (!method || !methods.includes(method.method)) {
    const message = 'This payment method cannot be used here. Choose another.';
    return problem('source.savedMethodId', message, method ? 'method_not_offered' : 'method_removed');
  }
  const expired = method.expiry === undefined ? null : checkExpiry(method.expiry, now);
  if (expired !== null) return problem('source.savedMethodId', expired, 'card_expired');
  const { method: kind, token, brand, last4, expiry, holder } = method;
  return {
    ok: true,
    value: {
      type: 'saved',
      source: {
        method: kind,
        token,
        ...(brand === undefined ? {} : { brand }),
        last4,
        ...(expiry === undefined ? {} : { expiry }),
        holder,
        methodId: method.id,
        save: false,
      },
    },
  };
}

/** D-8: only a customer's method can be saved. */
function checkSave(input: unknown, session: PaymentSession): Checked<boolean> {
  if (input === undefined || input === false) return { ok: true, value: false };
  if (input === true && session.customerId !== undefined) return { ok: true, value: true };
  return {
    ok: false,
    problems: [{ field: 'saveMethod', message: 'This payment method cannot be saved here.' }],
  };
}

async function tokenized(
  deps: Deps,
  session: Session,
  checked: AnySource,
  save: boolean,
): Promise<{ ok: true; value: AttemptSource } | { ok: false; answer: Response }> {
  if (checked.type === 'saved') return { ok: true, value: checked.source };
  const result = await tokenize(deps, session, checked.source);
  return result.ok ? { ok: true, value: { ...result.value, save } } : result;
}

/** Exchanges a checked source for a token; what is refused is answered in words of the processor's. */
export async function tokenize(
  deps: Deps,
  session: Session,
  source: PaymentSource,
): Promise<{ ok: true; value: Omit<AttemptSource, 'save'> } | { ok: false; answer: Response }> {
  if (!deps.processor) return { ok: false, answer: refuse('payments_unavailable', NO_PROCESSOR) };
  const tooMany = await deps.store.transaction((tx) => countTry(tx, session.id));
  if (tooMany) return { ok: false, answer: refusal(tooMany) };
  const context = processorContext({
    businessUnit: session.businessUnit,
    descriptor: session.flow === 'payment' ? session.request.PaymentDescriptor : undefined,
    method: source.method,
    sessionId: session.id,
    environment: deps.env,
  });
  try {
    const { token, brand, last4 } = checkToken(
      await inTime(deps.processor.tokenize(source, context), CHARGE_WAIT_MS, 'processor_timeout'),
      source,
    );
    const holder = source.method === 'ACH' ? source.holder : source.name;
    return {
      ok: true,
      value: {
        method: source.method,
        token,
        ...(brand === undefined ? {} : { brand }),
        last4,
        ...(source.method === 'ACH' ? {} : { expiry: source.expiry }),
        holder,
      },
    };
  } catch (error) {
    if (isSourceRefused(error)) {
      const field = error.field === undefined ? 'source' : `source.${error.field}`;
      return { ok: false, answer: invalid([{ field, message: error.message, reason: 'source_refused' }]) };
    }
    deps.log.error('The processor could not tokenize a payment method', { error: nameOnly(error) });
    const message = 'The payment could not be started and nothing was charged. Try again in a moment.';
    return { ok: false, answer: refuse('payments_unavailable', message) };
  }
}

/** What a processor answers is stored: one that hands a number back in its token gets no payment. */
function checkToken(tokenized: Tokenized, source: PaymentSource): Tokenized {
  const number = source.method === 'ACH' ? source.accountNumber : source.cardNumber;
  const { token, brand, last4 } = tokenized;
  const isSafe = typeof token === 'string' && token !== '' && !token.includes(number);
  if (
    isSafe &&
    typeof last4 === 'string' &&
    last4.length <= 4 &&
    (brand === undefined || typeof brand === 'string')
  ) {
    return tokenized;
  }
  throw new ServiceError(
    'processor_invalid',
    'The processor answered tokenize with something that cannot be kept.',
  );
}

/** What an id of ours looks like: nothing else is looked up. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value);
}

/** Ids that pages make: enough of a shape to keep a database and a log clean. */
export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value);
}

export function badRequestId(field: string): Problem {
  return {
    field,
    message: 'Make an id of 8 to 64 letters, digits, "-" and "_", and keep it when you try again.',
  };
}

/** Handlers of the page API: call the domain and convert its result to the page's response. */
import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import type { Deps } from '../../deps.js';
import {
  awaitsPayer,
  hasStarted,
  showsReceipt,
  wasNeverSent,
  type Attempt,
} from '../../payments/rules/attempt.js';
import { autopayTerms, checkAgreed } from '../../payments/rules/authorization.js';
import { adviceFor } from '../../payments/rules/decline-advice.js';
import { accountIn, wordingOf } from '../../texts/wording.js';
import { autopayText } from '../../shared/authorization-text.js';
import { defined } from '../../core/defined.js';
import { ok, invalid, refused, type Result, type Refused } from '../../core/result.js';
import { MAX_DECLINES, refuseEnded, transition } from '../../sessions/rules/session.js';
import type { PaymentSession, Session, SessionOf } from '../../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../../core/store.js';
import { billOf } from '../../accounts/current-bill.js';
import { changeMethod, enroll, unenrollOwn } from '../../autopay/enrollment.js';
import { setPreferences } from '../../preferences/set-preferences.js';
import { setPaperless } from '../../paperless/set-paperless.js';
import { abandonAttempt } from '../../payments/attempts.js';
import { withPayer } from '../../payments/context.js';
import { endChallenge, type ChallengeEnd } from '../../payments/challenge.js';
import { cancelScheduled, schedulePayment } from '../../schedules/scheduling.js';
import {
  makeDefault,
  nameMethod,
  removeMethod,
  walletEntry,
  type WalletEntry,
} from '../../wallet/methods.js';
import { addSavedMethod } from '../../wallet/adding.js';
import { editExpiry } from '../../wallet/edit-expiry.js';
import { pay } from '../../payments/paying.js';
import type { BusinessUnit } from '../../platform/config/config.js';
import type { Buckets } from '../../platform/http/buckets.js';
import type { Language } from '../../shared/languages.js';
import { emailReceipt } from '../../messages/email-receipt.js';
import { readEmail } from '../../shared/email.js';
import type { Attempt as AttemptAnswer, MethodsFlow, SavedMethod } from '../../shared/page.js';
import { accountOf, pageSession } from './session.js';
import { autopayView, receipt, savedMethod, scheduleView } from './views.js';

export interface PageRequest<S extends Session = Session> {
  readonly deps: Deps;
  readonly session: S;
  readonly business: BusinessUnit;
  readonly body: Record<string, unknown>;
  readonly language: Language | undefined;
  /** Empty for a malformed id, which no row has. */
  readonly param: (name: string) => string;
  /** Limits the receipts to an address. */
  readonly receipts: Buckets;
}

export interface Handler {
  readonly run: (request: PageRequest) => Promise<Result<unknown>>;
  /** Whether it is allowed after the session has expired. */
  readonly late?: true;
  /** Counted separately from reads and changes, so that payers can always finish and learn the outcome. */
  readonly isOutcome?: true;
}

type Work<F extends Flow> = (
  tx: StoreTx,
  request: PageRequest<SessionOf<F>>,
  context: TxContext,
) => Promise<Result<unknown>>;

type PaymentRequest = PageRequest<PaymentSession>;
type ManagementFlow = Exclude<Flow, 'payment'>;
const MANAGEMENT = (Object.keys(FLOWS) as Flow[]).filter((flow) => flow !== 'payment');

const ADDING: Readonly<Record<MethodsFlow, true>> = { wallet: true, autopay: true, 'schedule-payment': true };

/** By method and path under `/s/{id}/api/`, as listed in `shared/page.ts`. */
export const HANDLERS: Readonly<Record<`${'GET' | 'POST'} ${string}`, Handler>> = {
  'GET session': {
    run: ({ deps, session, business }) =>
      deps.store.read(async (tx) => ok(await pageSession({ tx, deps, business }, session))),
  },
  'POST pay': {
    late: true,
    isOutcome: true,
    run: of(['payment'], async (request) => {
      const { deps, session, business, body } = request;
      const paid = await pay(deps, session, business, body);
      return paid.ok ? attemptAnswer(request, paid.value) : paid;
    }),
  },
  'GET attempts/:attemptId': {
    late: true,
    isOutcome: true,
    run: of(['payment'], async (request) => {
      const { deps, session, param } = request;
      const attempt = await deps.store.read((tx) => tx.attempts.find(session.id, param('attemptId')));
      return answerFor(request, attempt);
    }),
  },
  'POST attempts/:attemptId/abandon': {
    late: true,
    isOutcome: true,
    run: of(['payment'], async (request) => {
      const { deps, session, param } = request;
      const attemptId = param('attemptId');
      const abandoned = await deps.store.transaction((tx) => abandonAttempt(tx, session.id, attemptId), {
        repeatable: true,
      });
      if (!abandoned.ok) return abandoned;
      return abandoned.value === null
        ? unpaid(request, () => ({ status: 'never_seen', attemptId }))
        : attemptAnswer(request, abandoned.value);
    }),
  },
  'POST attempts/:attemptId/returned': {
    late: true,
    run: of(['payment'], (request) => challengeEnds(request, 'finished')),
  },
  'POST attempts/:attemptId/cancel': {
    late: true,
    isOutcome: true,
    run: of(['payment'], (request) => challengeEnds(request, 'canceled')),
  },
  'POST attempts/:attemptId/email': {
    late: true,
    run: of(['payment'], async ({ deps, session, language, body, param, receipts }) => {
      const emailAddress = readEmail(body['emailAddress']);
      if (emailAddress === null)
        return invalid({
          field: 'emailAddress',
          message: 'Enter an e-mail address such as ada@example.com.',
        });

      const { clock, store } = deps;
      const now = clock.now();
      const to = { session, emailAddress, language: language ?? 'en' };
      return store.transaction((tx) => emailReceipt(tx, param('attemptId'), to, receipts, now));
    }),
  },
  'POST methods': {
    run: of(Object.keys(ADDING) as MethodsFlow[], async ({ deps, session, business, body }) => {
      const added = await addSavedMethod(deps, session, business, body);
      if (!added.ok) return added;

      const entry = await deps.store.read((tx) => walletEntry(tx, added.value.id));
      return entry && entry.method.removedAt === undefined
        ? ok(savedMethod(entry))
        : refused('not_found', 'This payment method was removed.');
    }),
  },
  'POST methods/:methodId/default': {
    run: walletChange((tx, { session, param }) => makeDefault(tx, session.customerId, param('methodId'))),
  },
  'POST methods/:methodId/name': {
    run: walletChange((tx, { session, param, body }) =>
      nameMethod(tx, session.customerId, param('methodId'), body['name']),
    ),
  },
  'POST methods/:methodId/expiry': {
    run: of(['wallet'], async ({ deps, session, business, body, param }) =>
      mapResult(await editExpiry(deps, session, business, param('methodId'), body['expiry']), savedMethods),
    ),
  },
  'POST methods/:methodId/remove': {
    run: walletChange((tx, { session, param }, context) =>
      removeMethod(tx, session.customerId, param('methodId'), session, context),
    ),
  },
  'POST autopay/enroll': { run: autopay(enroll) },
  'POST autopay/method': { run: autopay(changeMethod) },
  'POST autopay/unenroll': {
    run: inTransaction(['autopay'], (tx, { session }, context) => unenrollOwn(tx, session, context)),
  },
  'POST paperless': {
    run: inTransaction(['paperless'], (tx, { session, body }, context) =>
      setPaperless(tx, session, body, context),
    ),
  },
  'POST schedule': {
    run: inTransaction(['schedule-payment'], async (tx, { deps, session, business, body }, context) => {
      const { env, processor } = deps;
      const canCharge = processor !== null;
      const scheduled = await schedulePayment(tx, session, body, business, { ...context, env, canCharge });
      return mapResult(scheduled, (schedule) => scheduleView(tx, schedule, business.paymentMethods));
    }),
  },
  'POST scheduled/:scheduledId/cancel': {
    run: inTransaction(['scheduled-payments'], async (tx, { session, business, param }, context) =>
      mapResult(await cancelScheduled(tx, session, param('scheduledId'), context), (schedule) =>
        scheduleView(tx, schedule, business.paymentMethods),
      ),
    ),
  },
  'POST notifications': {
    run: inTransaction(['notifications'], (tx, { session, body }, context) =>
      setPreferences(tx, session, body, context),
    ),
  },
  'POST done': {
    isOutcome: true,
    run: inTransaction(MANAGEMENT, async (tx, { session }, { now }) => {
      const next = transition(session, 'completed', now);
      if (typeof next === 'string') return ok({ status: session.status });

      if (next !== session) await tx.sessions.update(next);
      return ok({ status: next.status });
    }),
  },
};

/** A change of the wallet, which responds with all its methods. */
function walletChange(
  change: (...args: Parameters<Work<'wallet'>>) => Promise<Result<WalletEntry[]>>,
): Handler['run'] {
  return inTransaction(['wallet'], async (...args) => mapResult(await change(...args), savedMethods));
}

const savedMethods = (wallet: WalletEntry[]): SavedMethod[] => wallet.map(savedMethod);

function autopay(change: typeof enroll): Handler['run'] {
  return inTransaction(['autopay'], async (tx, { deps, session, business, body }, context) => {
    const account = accountOf(session, await tx.accounts.get(session.accountId), null);
    const agreed = checkAgreed(body, business, autopayTerms(business, account));
    if (!agreed.ok) return agreed;

    const { language, terms } = agreed.value;
    const text = autopayText(wordingOf(language, terms.business), {
      account: accountIn(language, terms.account),
      chargedBy: terms.chargedBy,
    });
    const request = { methodId: body['methodId'], authorization: text };
    return mapResult(await change(tx, session, request, business, context), async (enrollment) => {
      const bill = await billOf(tx, enrollment.accountId);
      return autopayView(tx, enrollment, bill, business, { now: context.now, env: deps.env });
    });
  });
}

/** Calls the processor once the payer has finished or canceled the challenge. */
async function challengeEnds(request: PaymentRequest, how: ChallengeEnd): Promise<Result<AttemptAnswer>> {
  const { deps, session, param } = request;
  const { store, clock, charging } = deps;
  const attemptId = param('attemptId');
  const now = clock.now();
  const attempt = await store.transaction((tx) => endChallenge(tx, session.id, attemptId, how, now), {
    repeatable: true,
  });
  return answerFor(request, attempt && (await withPayer(session, () => charging.wait(attempt))));
}

function of<F extends Flow>(
  flows: readonly F[],
  run: (request: PageRequest<SessionOf<F>>) => Promise<Result<unknown>>,
): Handler['run'] {
  const isOne = (session: Session): session is SessionOf<F> =>
    (flows as readonly Flow[]).includes(session.flow);
  return async (request) => {
    const { session } = request;
    return isOne(session) ? run({ ...request, session }) : OTHER_FLOW;
  };
}

const OTHER_FLOW: Refused = refused('not_found', 'This session is for another flow.');

/** Runs idempotent work of management flows, unless its session has ended or was erased since the request was admitted. */
function inTransaction<F extends ManagementFlow>(flows: readonly F[], work: Work<F>): Handler['run'] {
  return of(flows, (request) => {
    const { store, clock, newId } = request.deps;
    const context = { now: clock.now(), newId };
    return store.transaction(
      async (tx) => {
        const session = await tx.sessions.lock(request.session);
        return refuseEnded(session, context.now) ?? work(tx, { ...request, session }, context);
      },
      { repeatable: true },
    );
  });
}

async function mapResult<T, V>(outcome: Result<T>, view: (value: T) => V | Promise<V>): Promise<Result<V>> {
  return outcome.ok ? ok(await view(outcome.value)) : outcome;
}

function answerFor(
  request: PaymentRequest,
  attempt: Attempt | null,
): Promise<Result<AttemptAnswer>> | Result<AttemptAnswer> {
  if (attempt) return attemptAnswer(request, attempt);
  return ok({ status: 'never_seen', attemptId: request.param('attemptId') });
}

/** Reads only data that the attempt and the session don't contain. */
async function attemptAnswer(request: PaymentRequest, attempt: Attempt): Promise<Result<AttemptAnswer>> {
  const { store, clock } = request.deps;
  const { status, requestId: attemptId, source, actionUrl } = attempt;
  if (actionUrl !== undefined && awaitsPayer(attempt, clock.now()))
    return ok({ status: 'requires_action', attemptId, action: { url: actionUrl } });
  if (status === 'processing' || !hasStarted(status)) return ok({ status: 'processing', attemptId });
  if (wasNeverSent(attempt.reason)) return unpaid(request, () => ({ status: 'never_seen', attemptId }));
  if (status === 'declined' || status === 'returned')
    return unpaid(request, ({ declines }) => {
      const attemptsLeft = MAX_DECLINES - declines;
      return defined({ status: 'declined', attemptId, attemptsLeft, advice: adviceFor(attempt.reason) });
    });
  if (!showsReceipt(attempt, clock.now()))
    return refused('expired', 'The receipt is no longer shown: it is available for a day.');

  const { save, methodId } = source;
  return ok(
    defined({
      status,
      attemptId,
      receipt: await receipt(
        (id) => store.read((tx) => tx.refunds.succeeded(id)),
        request.session.request,
        attempt,
      ),
      // No more, because a finished payment's link doesn't show the wallet.
      savedMethod: save && methodId !== undefined ? { id: methodId } : undefined,
    }),
  );
}

const PAID_ELSEWHERE = refused(
  'conflict',
  'Another payment for this session was made, or is being processed.',
);

/**
 * Reports that an attempt paid nothing. Refused if another attempt has paid or may have, because the page would tell
 * the payer that nothing was charged.
 */
async function unpaid(
  { deps, session: { id } }: PaymentRequest,
  answer: (session: PaymentSession) => AttemptAnswer,
): Promise<Result<AttemptAnswer>> {
  const session = await deps.store.read((tx) => tx.sessions.get(id));
  if (session?.flow !== 'payment') return OTHER_FLOW;
  const { status } = session;
  return status === 'Succeeded' || status === 'Processing' ? PAID_ELSEWHERE : ok(answer(session));
}

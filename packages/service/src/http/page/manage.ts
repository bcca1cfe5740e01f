/** What the pages of the six management flows ask for: one handler per request of `wire/page.ts`. */
import type { BusinessUnit } from '../../runtime/config.js';
import type { Deps } from '../../deps.js';
import type { Occasion } from '../../domain/announce.js';
import { changeMethod, enroll, unenrollOwn } from '../../domain/transactions/autopay.js';
import { setPreferences } from '../../domain/transactions/notifications.js';
import { setPaperless } from '../../domain/transactions/paperless.js';
import { cancelScheduled, schedulePayment } from '../../domain/transactions/schedule.js';
import {
  addMethod,
  makeDefault,
  ownMethod,
  removeMethod,
  walletEntry,
  whyFull,
} from '../../domain/transactions/wallet.js';
import { checkPreferences } from '../../domain/notifications.js';
import { checkSchedule } from '../../domain/schedule.js';
import { transition } from '../../domain/session.js';
import type { AccountSession, CustomerSession } from '../../domain/session.js';
import type { StoreTx } from '../../domain/store.js';
import { checkExpiry, checkSource } from '../../domain/source.js';
import type { Problem } from '../../domain/source.js';
import { startOf } from '../../domain/day.js';
import { done, invalid, refusal, refuse } from './answer.js';
import { badRequestId, isId, isRequestId, tokenize } from './pay.js';
import { NO_PROCESSOR } from './session.js';
import { autopayView, savedMethod, scheduleView } from './views.js';

type Management = AccountSession | CustomerSession;
type Body = Record<string, unknown>;

export async function addSavedMethod(
  deps: Deps,
  session: Management,
  business: BusinessUnit,
  body: Body,
): Promise<Response> {
  const { requestId } = body;
  if (!isRequestId(requestId)) return invalid([badRequestId('requestId')]);
  const { customerId } = session;
  const { known, full } = await deps.store.transaction(async (tx) => {
    const method = await tx.methods.findByRequest(customerId, requestId);
    return { known: method && (await walletEntry(tx, method.id)), full: await whyFull(tx, customerId) };
  });
  if (known) return done(savedMethod(known));
  if (!deps.processor) return refuse('payments_unavailable', NO_PROCESSOR);
  if (full) return refusal(full);

  const checked = checkSource(body['source'], deps.clock.now());
  if (!checked.ok) return invalid(checked.problems);
  if (!business.paymentMethods.includes(checked.value.method)) {
    const message = `${checked.value.method} is not offered here.`;
    return invalid([{ field: 'source.method', message, reason: 'method_not_offered' }]);
  }
  const source = await tokenize(deps, session, checked.value);
  if (!source.ok) return source.answer;
  const at = occasion(deps);
  const wish = { ...source.value, customerId, requestId, session };
  return deps.store.transaction(async (tx) => {
    const added = await addMethod(tx, wish, body['makeDefault'] === true, at);
    if (!added.ok) return refusal(added);
    const entry = await walletEntry(tx, added.value.id);
    return entry ? done(savedMethod(entry)) : refuse('not_found', 'This payment method was removed.');
  });
}

export async function setDefaultMethod(deps: Deps, session: Management, methodId: string): Promise<Response> {
  const outcome = await deps.store.transaction((tx) => makeDefault(tx, session.customerId, methodId));
  return outcome.ok ? done(outcome.value.map(savedMethod)) : refusal(outcome);
}

export async function removeSavedMethod(
  deps: Deps,
  session: Management,
  methodId: string,
): Promise<Response> {
  const at = occasion(deps);
  const outcome = await deps.store.transaction((tx) =>
    removeMethod(tx, session, session.customerId, methodId, at),
  );
  return outcome.ok ? done(outcome.value.map(savedMethod)) : refusal(outcome);
}

export async function setAutopay(
  deps: Deps,
  session: AccountSession,
  business: BusinessUnit,
  body: Body,
  wish: 'enroll' | 'method',
): Promise<Response> {
  const { methodId } = body;
  if (!isId(methodId)) {
    return invalid([{ field: 'methodId', message: 'Choose a payment method.' }]);
  }
  const at = occasion(deps);
  return deps.store.transaction(async (tx) => {
    const unusable = await whyUnusable(tx, session, business, methodId, at.now);
    if (unusable !== null) return invalid([unusable]);
    const outcome = await (wish === 'enroll' ? enroll : changeMethod)(tx, session, methodId, at);
    if (!outcome.ok) return refusal(outcome);
    return done(await autopayView(tx, outcome.value.methodId, outcome.value.enrolledAt));
  });
}

export async function endAutopay(deps: Deps, session: AccountSession): Promise<Response> {
  const at = occasion(deps);
  const outcome = await deps.store.transaction((tx) => unenrollOwn(tx, session, at));
  return outcome.ok ? done(outcome.value) : refusal(outcome);
}

export async function choosePaperless(deps: Deps, session: AccountSession, body: Body): Promise<Response> {
  const { enrolled } = body;
  if (typeof enrolled !== 'boolean') {
    return invalid([{ field: 'enrolled', message: 'Choose whether bills come by e-mail.' }]);
  }
  const at = occasion(deps);
  await deps.store.transaction((tx) => setPaperless(tx, session, enrolled, at));
  return done({ enrolled });
}

export async function schedule(
  deps: Deps,
  session: AccountSession,
  business: BusinessUnit,
  body: Body,
): Promise<Response> {
  const { requestId } = body;
  if (!isRequestId(requestId)) return invalid([badRequestId('requestId')]);
  const { customerId } = session;
  const known = await deps.store.transaction(async (tx) => {
    const found = await tx.schedules.findByRequest(customerId, requestId);
    return found && scheduleView(tx, found);
  });
  if (known) return done(known);
  if (!deps.processor) return refuse('payments_unavailable', NO_PROCESSOR);
  const at = occasion(deps);
  const checked = checkSchedule(body, at.now);
  if (!checked.ok) return invalid(checked.problems);
  const { date, methodId } = checked.value;
  if (!isId(methodId)) return invalid([{ field: 'methodId', message: 'Choose a payment method.' }]);
  return deps.store.transaction(async (tx) => {
    const unusable = await whyUnusable(tx, session, business, methodId, startOf(date) ?? at.now);
    if (unusable !== null) return invalid([unusable]);
    const outcome = await schedulePayment(tx, session, requestId, checked.value, at);
    return outcome.ok ? done(await scheduleView(tx, outcome.value)) : refusal(outcome);
  });
}

export async function cancel(deps: Deps, session: AccountSession, scheduledId: string): Promise<Response> {
  const at = occasion(deps);
  return deps.store.transaction(async (tx) => {
    const outcome = await cancelScheduled(tx, session, scheduledId, at);
    return outcome.ok ? done(await scheduleView(tx, outcome.value)) : refusal(outcome);
  });
}

export async function chooseNotifications(
  deps: Deps,
  session: CustomerSession,
  body: Body,
): Promise<Response> {
  const checked = checkPreferences(body);
  if (!checked.ok) return invalid(checked.problems);
  const at = occasion(deps);
  await deps.store.transaction((tx) => setPreferences(tx, session, checked.value, at));
  return done(checked.value);
}

/** Why a saved method cannot be charged at `instant` (ms since the epoch), or null; whether it is there is asked later. */
async function whyUnusable(
  tx: StoreTx,
  { customerId }: AccountSession,
  { paymentMethods }: BusinessUnit,
  methodId: string,
  instant: number,
): Promise<Problem | null> {
  const method = await ownMethod(tx, customerId, methodId);
  if (!method) return null;
  const field = 'methodId';
  if (!paymentMethods.includes(method.method)) {
    const message = `${method.method} is not offered here. Choose another.`;
    return { field, message, reason: 'method_not_offered' };
  }
  const expired = method.expiry === undefined ? null : checkExpiry(method.expiry, instant);
  const message = 'This card has expired, or will have by then. Choose another.';
  return expired === null ? null : { field, message, reason: 'card_expired' };
}

/** the payer pressed Done; pressing it again changes nothing. */
export async function complete(deps: Deps, session: Management): Promise<Response> {
  const { now } = occasion(deps);
  return deps.store.transaction(async (tx) => {
    const current = (await tx.sessions.get(session.id)) ?? session;
    const [next, effects] = transition(current, { type: 'completed' }, now);
    if (effects.some(({ type }) => type === 'refuse')) {
      return refuse('expired', 'This session has expired. What was done in it is kept.');
    }
    if (next.status !== current.status) await tx.sessions.update(next);
    return done({ status: next.status });
  });
}

export function occasion({ clock, newId }: Pick<Deps, 'clock' | 'newId'>): Occasion {
  return { now: clock.now(), newId };
}

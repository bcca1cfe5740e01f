/** Changes the expiry date of a saved card: check, tell the processor, save. */
import { dayIn } from '../core/day.js';
import { invalid, ok, refused, type Result } from '../core/result.js';
import type { StoreTx } from '../core/store.js';
import { formContext } from '../payments/rules/channel.js';
import type { Deps } from '../deps.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { currentContext } from '../platform/context.js';
import { withTimeout } from '../platform/timeouts.js';
import { currentTraceparent } from '../platform/tracing.js';
import { MAX_CALL_WAIT_MS, nameOnly } from '../processor/calls.js';
import { NO_PROCESSOR } from '../processor/rules/port.js';
import { readRefusal } from '../processor/rules/response.js';
import { checkExpiry } from '../processor/rules/source.js';
import { refuseEnded, type CustomerSession } from '../sessions/rules/session.js';
import { countTry, ownMethod, walletOf, type WalletEntry } from './methods.js';
import type { Method } from './rules.js';

const UNCHANGED = 'The expiry date was not changed. Try again in a moment.';
const UNKNOWN = 'We don’t know whether the expiry date was changed. Try again in a moment.';
const GONE = refused('not_found', 'This payment method was removed.');

/** Resolves to the wallet. Idempotent. */
export async function editExpiry(
  parts: Deps,
  session: CustomerSession,
  { timeZone }: Pick<BusinessUnit, 'timeZone'>,
  methodId: string,
  typed: unknown,
): Promise<Result<WalletEntry[]>> {
  const { store, clock } = parts;
  const expiry = typeof typed === 'string' ? typed : '';
  /** The card, unless it was removed or the session has ended. */
  const find = async (tx: StoreTx): Promise<Result<Method>> => {
    const ended = refuseEnded(await tx.sessions.lock(session), clock.now());
    if (ended) return ended;
    const card = await ownMethod(tx, session.customerId, methodId);
    return card?.method === 'Credit Card' ? ok(card) : GONE;
  };

  const found = await store.transaction(
    async (tx) => {
      const card = await find(tx);
      if (!card.ok) return card;
      const message = checkExpiry(expiry, dayIn(clock.now(), timeZone));
      if (message !== null) return invalid({ field: 'expiry', message });
      return (await countTry(tx, session.id)) ?? card;
    },
    { repeatable: true },
  );
  if (!found.ok) return found;

  const problem = await tellProcessor(parts, session, found.value, expiry);
  if (problem) return problem;

  return store.transaction(
    async (tx) => {
      const card = await find(tx);
      if (!card.ok) return card;
      // If the card was entered again in the meantime, its date is newer.
      if (card.value.token === found.value.token) await tx.methods.update({ ...card.value, expiry });
      return ok(await walletOf(tx, session.customerId));
    },
    { repeatable: true },
  );
}

/** Resolves to a refusal, or null if the processor has the new date. */
async function tellProcessor(
  { env, processor, waiting, log }: Deps,
  session: CustomerSession,
  { method, token }: Method,
  expiry: string,
): Promise<Result<never> | null> {
  if (!processor?.updateExpiry) return refused('payments_unavailable', NO_PROCESSOR);

  const { id: sessionId, businessUnit } = session;
  const context = formContext(env, session, method, {
    traceparent: currentTraceparent(),
    device: currentContext().device,
  });
  try {
    const call = async () => processor.updateExpiry?.(token, expiry, context);
    const isDone = await waiting.run(businessUnit, async () => {
      await withTimeout(call(), MAX_CALL_WAIT_MS, 'processor_timeout');
      return true;
    });
    return isDone ? null : refused('payments_unavailable', UNCHANGED);
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal) return invalid({ ...refusal, field: 'expiry', reason: 'source_refused' });

    log.error('The processor could not change an expiry date', { sessionId, error: nameOnly(error) });
    return refused('payments_unavailable', UNKNOWN);
  }
}

/** Removes payer data from attempts over time. */
import { DAY_MS } from '../../core/day.js';
import { forbiddingCode } from '../../wallet/rules.js';
import { receiptEnds, returnsEnd, type Attempt } from './attempt.js';

/** Whether the source was typed but not saved, so its token has no use once the outcome is known. */
export function isUnsaved({ source }: Attempt): boolean {
  return source.methodId === undefined;
}

/**
 * Plans the removal for an attempt's new status. If the processor has nothing to forget, this does what the job's first pass
 * would do, which saves three statements per payment.
 * @param hasForget whether the processor forgets tokens
 */
export function planForgetting(attempt: Attempt, now: number, hasForget = true): Attempt {
  const { source } = attempt;
  // A source that the payer wants to save still needs its token.
  const isTokenNeeded = isUnsaved(attempt) && source.token !== '' && (hasForget || source.save);
  return isTokenNeeded || detailsUntil(attempt, now) <= now
    ? { ...attempt, forgetAt: now }
    : forgotten(attempt, now);
}

/**
 * Removes data that is no longer needed: the token immediately, because a saved method has its own; holder and expiry once the
 * receipt has expired and the payment is final; the fingerprint once its account is blocked or no bank can return the
 * payment.
 */
export function forgotten(attempt: Attempt, now: number): Attempt {
  const { forgetAt: _, ...rest } = attempt;
  const { source } = attempt;
  const until = detailsUntil(attempt, now);
  if (until > now) return { ...rest, source: { ...source, token: '' }, forgetAt: until };

  const { expiry: __, fingerprint, ...known } = source;
  const remaining = { ...known, token: '', holder: '' };
  const isBlocked = attempt.status === 'returned' && forbiddingCode(attempt.reason) !== undefined;
  // A bank may also return a payment that was declined or returned before, and then its account must be blocked.
  const mayBeReturned =
    source.method === 'ACH' && attempt.status !== 'canceled' && !isBlocked && now < returnsEnd(attempt);
  if (fingerprint === undefined || !mayBeReturned) return { ...rest, source: remaining };
  return { ...rest, source: { ...remaining, fingerprint }, forgetAt: returnsEnd(attempt) };
}

/** When to remove the details. A bank payment can be returned even if no lookup is due. */
function detailsUntil(attempt: Attempt, now: number): number {
  const { status, booked, dueAt, source } = attempt;
  // A return that release 0.3 recorded has yet to block the account.
  if (status === 'returned' && booked !== status) return now + DAY_MS;
  if (status === 'declined' || status === 'returned' || status === 'canceled') return now;
  if (dueAt !== undefined) return Math.max(dueAt, now) + DAY_MS;
  return source.method === 'ACH' ? returnsEnd(attempt) : receiptEnds(attempt);
}

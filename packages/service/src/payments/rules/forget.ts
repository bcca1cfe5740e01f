/** Which payer data remains in an attempt. */
import { DAY_MS } from '../../core/day.js';
import { receiptEnds, returnsEnd, type Attempt } from './attempt.js';

/** Whether the source was typed and not saved, so the processor has no use for its token after the outcome is known. */
export function isUnsaved({ source }: Attempt): boolean {
  return source.methodId === undefined;
}

/**
 * The attempt without data that is no longer needed. An unsaved source loses its token immediately. Holder, expiry and
 * fingerprint stay while the receipt shows them or a bank may return the payment.
 */
export function forgotten(attempt: Attempt, now: number): Attempt {
  const { forgetAt: _, ...rest } = attempt;
  const { source } = attempt;
  const until = detailsUntil(attempt, now);
  if (until > now)
    return { ...rest, source: isUnsaved(attempt) ? { ...source, token: '' } : source, forgetAt: until };

  const { expiry: __, fingerprint: ___, ...kept } = source;
  return { ...rest, source: { ...kept, token: '', holder: '' } };
}

/** Without polling, nothing else records that a bank may still return the payment. */
function detailsUntil(attempt: Attempt, now: number): number {
  const { status, dueAt, source } = attempt;
  if (status === 'declined' || status === 'returned' || status === 'canceled') return now;
  if (dueAt !== undefined) return now + DAY_MS;
  return source.method === 'ACH' ? returnsEnd(attempt) : receiptEnds(attempt);
}

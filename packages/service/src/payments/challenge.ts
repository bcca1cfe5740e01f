/** Challenges such as 3-D Secure: where they load from and how they end. */
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { StoreTx } from '../core/store.js';
import { awaitsPayer, type Attempt } from './rules/attempt.js';

/** Where a finished challenge sends its frame. */
export function returnUrlOf(publicUrl: string, sessionId: string): string {
  return `${publicUrl}/s/${sessionId}/returned`;
}

/** Whether the payer's page may show this address in a frame. */
export function isFramable(
  url: string,
  { frameOrigins = [] }: Pick<PaymentProcessor, 'frameOrigins'>,
  publicUrl: string,
): boolean {
  const { origin } = new URL(url);
  return origin === new URL(publicUrl).origin || frameOrigins.includes(origin);
}

export type ChallengeEnd = 'finished' | 'canceled';

/**
 * Makes the next lookup due now, because the payer has finished or canceled the challenge. Resolves to the attempt, or
 * null if the session has no such attempt.
 */
export async function endChallenge(
  tx: StoreTx,
  sessionId: string,
  requestId: string,
  how: ChallengeEnd,
  now: number,
): Promise<Attempt | null> {
  const attempt = await tx.attempts.find(sessionId, requestId);
  if (attempt === null || !awaitsPayer(attempt, now)) return attempt;

  const next: Attempt = { ...attempt, ...(how === 'canceled' ? { actionUntil: now } : {}), dueAt: now };
  await tx.attempts.update(next);
  return next;
}

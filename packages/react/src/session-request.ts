// Requests a session from the merchant's backend.
import { EmbeddedPaymentError } from './error.js';
import { parseSession, type ReceivedSession, type SessionFactory, type SessionReason } from './flow-state.js';

const SESSION_TIMEOUT_MS = 30_000;

export const receiveSession = (answer: unknown): ReceivedSession => ({
  ref: parseSession(answer),
  at: Date.now(),
});

export async function requestSession(
  source: SessionFactory,
  reason: SessionReason,
  signal: AbortSignal,
): Promise<ReceivedSession> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answer: unknown;

  try {
    answer = await Promise.race([
      source({ signal, reason }),
      new Promise((_, reject) => {
        timer = setTimeout(reject, SESSION_TIMEOUT_MS, new Error('No answer within 30 s'));
      }),
    ]);
  } catch (cause) {
    throw new EmbeddedPaymentError(
      { code: 'session_failed', message: 'No session: see cause', retryable: true },
      cause,
    );
  } finally {
    clearTimeout(timer);
  }

  return receiveSession(answer);
}

// Requests a session from the merchant's backend.
import { untilAborted } from '@embedded-sessions/loader/internal';
import { EmbeddedPaymentError } from './error.js';
import { parseSession, type ReceivedSession, type SessionFactory, type SessionReason } from './flow-state.js';

const SESSION_TIMEOUT_MS = 30_000;

export const receiveSession = (value: unknown): ReceivedSession => ({
  ref: parseSession(value),
  at: Date.now(),
});

export async function requestSession(
  source: SessionFactory,
  reason: SessionReason,
  signal: AbortSignal,
): Promise<ReceivedSession> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let session: unknown;

  try {
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(reject, SESSION_TIMEOUT_MS, new Error('No response in 30 s'));
    });
    session = await untilAborted(Promise.race([source({ signal, reason }), timeout]), signal);
  } catch (cause) {
    throw new EmbeddedPaymentError('session_failed', 'Session function failed: see cause', cause, true);
  } finally {
    clearTimeout(timer);
  }

  return receiveSession(session);
}

import type { PageSession } from '@shared/page.js';
import { historyState } from '../../../page-state.js';

/**
 * The attempt whose outcome is unknown. A recreated frame has no history entry and may be denied storage, but it has a
 * name, which the SDK sets.
 */
export function rememberedAttempt(): string | undefined {
  const { attemptId = withStorage((store) => store.getItem(attemptKey())) } = historyState(window);
  return attemptId || (window.parent !== window && window.name) || undefined;
}

/** A payment without an outcome, sent from this page or another. */
export function unsettledAttempt(session: PageSession): string | undefined {
  if (session.flow !== 'payment' || session.receipt !== undefined) return undefined;
  return session.inFlight ?? rememberedAttempt();
}

export function attemptKey(): string {
  return `attempt ${location.pathname}`;
}

/** Returns undefined if storage is unavailable, as it may be in a frame. */
export function withStorage<T>(read: (storage: Storage) => T): T | undefined {
  try {
    return read(sessionStorage);
  } catch {
    return undefined;
  }
}

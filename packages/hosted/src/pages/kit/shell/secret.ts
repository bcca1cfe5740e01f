import type { PageSession } from '@shared/page.js';
import { kept } from '../../../opening.js';

/** The session's secret, which the HTML's first script removed from the address. */
export function sessionSecret(): string | undefined {
  return kept(window).secret;
}

/** The attempt with an unknown outcome. A recreated frame has no history entry, so the tab's session storage keeps it too. */
export function keptAttempt(): string | undefined {
  return kept(window).attemptId ?? stored((store) => store.getItem(attemptKey())) ?? undefined;
}

/** A payment without an outcome yet, sent from here or elsewhere. */
export function unsettledAttempt(session: PageSession): string | undefined {
  if (session.flow !== 'payment' || session.receipt !== undefined) return undefined;
  return session.inFlight ?? keptAttempt();
}

export function attemptKey(): string {
  return `attempt ${location.pathname}`;
}

/** Storage may be unavailable in a frame, and throw. */
export function stored<T>(ask: (store: Storage) => T): T | undefined {
  try {
    return ask(sessionStorage);
  } catch {
    return undefined;
  }
}

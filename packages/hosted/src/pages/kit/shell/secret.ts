import type { PageSession } from '../../../../../service/src/shared/page.js';
import { kept } from '../../../opening.js';

/** The session's secret; the HTML's first script has taken it out of the address. */
export function sessionSecret(): string | undefined {
  return kept(window).secret;
}

/** The attempt whose outcome the page does not know; a frame that is made anew has no history, but the tab's store. */
export function keptAttempt(): string | undefined {
  return kept(window).attemptId ?? stored((store) => store.getItem(attemptKey())) ?? undefined;
}

/** A payment that was sent from here or from elsewhere, and has no outcome yet. */
export function unsettledAttempt(session: PageSession): string | undefined {
  if (session.flow !== 'payment' || session.receipt !== undefined) return undefined;
  return session.inFlight ?? keptAttempt();
}

export function attemptKey(): string {
  return `attempt ${location.pathname}`;
}

/** A browser may keep nothing for a frame, and throw. */
export function stored<T>(ask: (store: Storage) => T): T | undefined {
  try {
    return ask(sessionStorage);
  } catch {
    return undefined;
  }
}

import { kept, type Kept } from '../../../opening.js';

/** The session's secret; the HTML's first script has taken it out of the address. */
export function sessionSecret(): string | undefined {
  return kept(window).secret;
}

export function keptAttempt(): string | undefined {
  return kept(window).attemptId;
}

export function keepAttempt(attemptId: string | undefined): void {
  const { secret } = kept(window);
  const next: Kept = {
    ...(secret === undefined ? {} : { secret }),
    ...(attemptId === undefined ? {} : { attemptId }),
  };
  history.replaceState(next, '');
}

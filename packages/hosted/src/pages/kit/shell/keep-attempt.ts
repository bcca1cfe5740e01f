import { kept, type Kept } from '../../../opening.js';
import { attemptKey, stored } from './secret.js';

export function keepAttempt(attemptId: string | undefined): void {
  const { secret } = kept(window);
  const next: Kept = {
    ...(secret === undefined ? {} : { secret }),
    ...(attemptId === undefined ? {} : { attemptId }),
  };
  history.replaceState(next, '');
  stored((store) =>
    attemptId === undefined ? store.removeItem(attemptKey()) : store.setItem(attemptKey(), attemptId),
  );
}

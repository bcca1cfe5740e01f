import { historyState, type HistoryState } from '../../../page-state.js';
import { attemptKey, withStorage } from './secret.js';

export function rememberAttempt(attemptId: string | undefined): void {
  const { secret } = historyState(window);
  const next: HistoryState = {
    ...(secret === undefined ? {} : { secret }),
    ...(attemptId === undefined ? {} : { attemptId }),
  };
  history.replaceState(next, '');
  if (window.parent !== window) window.name = attemptId ?? '';
  withStorage((store) =>
    attemptId === undefined ? store.removeItem(attemptKey()) : store.setItem(attemptKey(), attemptId),
  );
}

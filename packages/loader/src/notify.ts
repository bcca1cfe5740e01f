import { attempt } from './attempt.js';

/** Calls a merchant's listener. What it throws is reported as the page's own error and stops nothing here. */
export function notify<T>(listener: ((event: T) => void) | undefined, event: T): void {
  try {
    listener?.(event);
  } catch (error) {
    attempt(() => reportError(error));
  }
}

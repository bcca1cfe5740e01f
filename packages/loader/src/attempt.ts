/** Returns undefined if `work` throws, for example because of a third-party getter or a global that the page replaced. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Calls a merchant's listener. If it throws, rethrows in a microtask: the page sees its error, and nothing here stops. */
export function notify<A extends unknown[]>(listener: ((...args: A) => void) | undefined, ...args: A): void {
  try {
    listener?.(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

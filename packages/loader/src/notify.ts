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

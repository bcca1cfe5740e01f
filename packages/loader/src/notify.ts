/** Calls a merchant's listener. What it throws is reported as the page's own error and stops nothing here. */
export function notify<A extends unknown[]>(
  listener: ((...given: A) => void) | undefined,
  ...given: A
): void {
  try {
    listener?.(...given);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

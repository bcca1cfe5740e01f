/** Real ms since a `performance.now()`, with one decimal. */
export function msSince(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}

/** Resolves like `promise`, or rejects with `code` after `ms`, real time. */
export function withTimeout<T>(promise: Promise<T>, ms: number, code: string): Promise<T> {
  // Create the error lazily, because capturing a stack costs more than the rest.
  return onDelay(promise, ms, (reject) =>
    reject(Object.assign(new Error(`no promise in ${ms} ms`), { code })),
  );
}

/** Resolves like `promise`. After `ms`, real time, calls `late`, which may reject. */
export function onDelay<T>(
  promise: Promise<T>,
  ms: number,
  late: (reject: (error: unknown) => void) => void,
): Promise<T> {
  // `Promise.race` would create six more promises per call.
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(late, ms, reject);
    const inTime =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        clearTimeout(timer);
        settle(value);
      };
    promise.then(inTime(resolve), inTime(reject));
  });
}

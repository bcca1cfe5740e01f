/** Resolves like `answer`, or rejects with `code` after `ms`, real time. */
export function withTimeout<T>(answer: Promise<T>, ms: number, code: string): Promise<T> {
  // Create the error lazily: capturing a stack costs more than everything else here.
  return onDelay(answer, ms, (reject) => reject(Object.assign(new Error(`no answer in ${ms} ms`), { code })));
}

/** Resolves like `answer`; after `ms`, real time, calls `late`, which may reject. */
export function onDelay<T>(
  answer: Promise<T>,
  ms: number,
  late: (reject: (error: unknown) => void) => void,
): Promise<T> {
  // `Promise.race` would create six more promises per call.
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(late, ms, reject);
    const ended =
      <V>(tell: (value: V) => void) =>
      (value: V): void => {
        clearTimeout(timer);
        tell(value);
      };
    answer.then(ended(resolve), ended(reject));
  });
}

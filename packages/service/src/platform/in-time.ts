/** What was asked for, or a rejection with `code` when it takes longer than `ms`, real time. */
export function inTime<T>(answer: Promise<T>, ms: number, code: string): Promise<T> {
  // Made only when it is needed: the stack of an error takes longer than all the rest of this.
  return whenLate(answer, ms, (reject) =>
    reject(Object.assign(new Error(`no answer in ${ms} ms`), { code })),
  );
}

/** What was asked for; when it takes longer than `ms`, real time, `late` is called, and may end the wait. */
export function whenLate<T>(
  answer: Promise<T>,
  ms: number,
  late: (reject: (error: unknown) => void) => void,
): Promise<T> {
  // `Promise.race` would make six promises more, each time.
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

/** What was asked for, or a rejection with `code` when it takes longer than `ms`, real time. */
export function inTime<T>(answer: Promise<T>, ms: number, code: string): Promise<T> {
  // `Promise.race` would make six promises more.
  return new Promise<T>((resolve, reject) => {
    // Made only when it is needed: the stack of an error takes longer than all the rest of this.
    const tooLate = (): void => reject(Object.assign(new Error(`no answer in ${ms} ms`), { code }));
    const timer = setTimeout(tooLate, ms);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

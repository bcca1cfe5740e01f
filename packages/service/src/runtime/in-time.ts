/** What was asked for, or a rejection with `code` when it takes longer than `ms`, real time. */
export function inTime<T>(answer: Promise<T>, ms: number, code: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // Made only when it is needed: an error's stack takes longer than the rest of this.
    const late = (): void => reject(Object.assign(new Error(`no answer in ${ms} ms`), { code }));
    const timer = setTimeout(late, ms);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        // Handed on as it is.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(error);
      },
    );
  });
}

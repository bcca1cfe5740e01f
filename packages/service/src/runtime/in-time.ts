/** What was asked for, or a rejection with `code` when it takes longer than `ms`, real time. */
export async function inTime<T>(answer: Promise<T>, ms: number, code: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Made only when it is needed: the stack of an error takes longer than all the rest of this.
    const tooLate = (): void => reject(Object.assign(new Error(`no answer in ${ms} ms`), { code }));
    timer = setTimeout(tooLate, ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

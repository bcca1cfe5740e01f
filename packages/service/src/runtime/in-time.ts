/** What was asked for, or a rejection with `code` when it takes longer than `ms`, real time. */
export async function inTime<T>(answer: Promise<T>, ms: number, code: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, Object.assign(new Error(`no answer in ${ms} ms`), { code }));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

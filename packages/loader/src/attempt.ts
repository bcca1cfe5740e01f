/** Returns undefined if `work` throws, as a getter of foreign code or a global that the page has replaced can. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns undefined if `work` throws, such as a third-party getter or a global that the page has replaced. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns undefined if `work` throws, for example because of a third-party getter or a global that the page replaced. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

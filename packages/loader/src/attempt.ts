/** What the work gives, or nothing where it throws: what is read may be anybody's, a getter or a revoked proxy. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

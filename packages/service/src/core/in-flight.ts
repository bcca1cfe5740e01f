/** The result of a statement that its transaction doesn't depend on. */
export interface InFlight<T> {
  readonly result: Promise<T>;
}

/** Lets a transaction return a result that it doesn't wait for, so that the COMMIT travels with the statement. */
export function inFlight<T>(result: Promise<T>): InFlight<T> {
  // If the statement fails, so does the COMMIT.
  result.catch(() => undefined);
  return { result };
}

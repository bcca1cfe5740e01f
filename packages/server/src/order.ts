/** For each account, a promise that is fulfilled when all that was asked for so far has ended, well or not. */
const ends = new Map<string, Promise<unknown>>();

/** Hands `work` the end of all earlier work of the same key within this process, for it to wait for. */
export function inOrder<T>(
  key: string,
  work: (before: Promise<unknown> | undefined) => Promise<T>,
): Promise<T> {
  const before = ends.get(key);
  const mine = work(before);
  // Also of `before`: work that is aborted while it waits must not let the next one overtake the first.
  const end: Promise<unknown> = Promise.allSettled([before, mine]).then(
    () => ends.get(key) === end && ends.delete(key),
  );
  ends.set(key, end);
  return mine;
}

import { ServiceError } from './error.js';

/** The end of the last piece of work of each account. */
const tails = new Map<string, Promise<void>>();

const ended = (work: Promise<unknown>): Promise<void> =>
  // Whoever called for that piece hears of its failure; the next piece only waits for its end.
  work.then(
    () => undefined,
    () => undefined,
  );

/** Rejects when the signal is aborted before the turn comes; settles at no other time. */
const abortedBefore = (turn: Promise<void>, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = () =>
      reject(
        new ServiceError('aborted', 'The event was aborted by its signal before it was sent.', {
          cause: signal.reason,
        }),
      );
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void turn.then(() => signal.removeEventListener('abort', stop));
  });

/** Work of one key, one piece after the other in the order of the calls, within this process. */
export function inOrder<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const turn = tails.get(key) ?? Promise.resolve();
  const mine = turn.then(work);
  const tail = ended(mine);
  tails.set(key, tail);
  void tail.then(() => (tails.get(key) === tail ? tails.delete(key) : false));
  return signal === undefined ? mine : Promise.race([mine, abortedBefore(turn, signal)]);
}

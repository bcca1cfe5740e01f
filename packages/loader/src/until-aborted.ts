import { aborted } from './error.js';

/** Rejects when `signal` is aborted. Leaves no listener on it. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted(signal!));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort));
  });
}

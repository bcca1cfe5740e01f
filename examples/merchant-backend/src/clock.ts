/** The current time: the system's, or in the demo the service's, which a developer can move. */

export interface Clock {
  readonly now: () => Date;
  /** Reads the service's clock again. If that fails, continues from the last reading. */
  readonly refresh: () => Promise<void>;
}

/**
 * @param url `/clock` of the service's control port, which exists outside production only; undefined: the system's time
 * @example const clock = openClock('http://127.0.0.1:4173/clock', console.error);
 */
export function openClock(url: string | undefined, log: (line: string) => void): Clock {
  let offsetMs = 0;
  let readable = true;
  return {
    now: () => new Date(Date.now() + offsetMs),
    refresh: async () => {
      if (url === undefined) return;
      try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
        const clock = (await answer.json()) as { offsetMs?: unknown };
        if (typeof clock.offsetMs !== 'number') throw new Error(`${url} told no time (${answer.status})`);
        offsetMs = clock.offsetMs;
        readable = true;
      } catch (error) {
        if (readable) log(`clock: ${error instanceof Error ? error.message : String(error)}`);
        readable = false;
      }
    },
  };
}

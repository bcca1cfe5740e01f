/** The one source of time: milliseconds since the epoch. Tests move it, production's cannot be moved. */
export interface Clock {
  now(): number;
}

/** Ms by which the clocks of two processes may differ, and nobody has set one back. */
export const SKEW_MS = 60_000;

/** A clock whose offset lives in the database, so that every process on it tells the same time. */
export interface MovableClock extends Clock {
  /** Milliseconds that were added so far. */
  readonly offset: number;
  /** Takes the offset that the database holds. */
  set(offset: number): void;
  /** What time it is with another offset. */
  at(offset: number): number;
}

/** The system's time plus an offset. */
export function movableClock(systemNow: () => number): MovableClock {
  let offset = 0;
  return {
    now: () => systemNow() + offset,
    get offset() {
      return offset;
    },
    set: (next) => {
      offset = next;
    },
    at: (other) => systemNow() + other,
  };
}

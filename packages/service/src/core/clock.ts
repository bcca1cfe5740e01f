/** The one source of time: milliseconds since the epoch. Tests can move it; in production it is fixed to real time. */
export interface Clock {
  now(): number;
}

/** A clock whose offset lives in the database, so that all processes on it agree. */
export interface MovableClock extends Clock {
  /** Milliseconds added to the system's time. */
  readonly offset: number;
  /** Adopts the offset read from the database. */
  set(offset: number): void;
  at(offset: number): number;
}

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

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
  /**
   * Ms by which the system's clock was set ahead within the last hour, which may be put right yet: to be taken off before
   * anything that cannot be undone is done by what time it is. What was added to this clock is meant, and not among them.
   */
  ahead(): number;
}

/** How long a system's clock that was set ahead is in doubt, real ms. */
const DOUBTED_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * The system's time plus an offset.
 * @param elapsed ms of a clock that nobody sets
 */
export function movableClock(systemNow: () => number, elapsed: () => number): MovableClock {
  let offset = 0;
  /** What the system's clock had on the other one, the least of each minute in which somebody asked; the oldest first. */
  const leads: { since: number; least: number }[] = [];
  const ahead = (): number => {
    const at = elapsed();
    const lead = systemNow() - at;
    const last = leads.at(-1);
    if (last === undefined || at >= last.since + MINUTE_MS) leads.push({ since: at, least: lead });
    else if (lead < last.least) last.least = lead;
    // The first stands for all the time until the next.
    while (leads[1] !== undefined && leads[1].since <= at - DOUBTED_MS) leads.shift();
    const by = lead - leads.reduce((least, each) => (each.least < least ? each.least : least), lead);
    return by > SKEW_MS ? by : 0;
  };
  ahead();
  return {
    now: () => systemNow() + offset,
    get offset() {
      return offset;
    },
    set: (next) => {
      offset = next;
    },
    at: (other) => systemNow() + other,
    ahead,
  };
}

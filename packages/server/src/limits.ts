/** How long a call may take, and how often it is tried. */
import { refuse } from './environment.js';

/** Limits, per client and per call. */
export interface Limits {
  /** Milliseconds for one attempt, to the last byte of its answer; 15,000. */
  timeoutMs?: number;
  /** Milliseconds for all attempts and waits, that of an event for earlier ones of its account included; 45,000. */
  totalTimeoutMs?: number;
  /** How often to try again after a transient failure: 2; 0 means 0. */
  maxRetries?: number;
}

const DEFAULTS: Required<Limits> = { timeoutMs: 15_000, totalTimeoutMs: 45_000, maxRetries: 2 };
/** Timers end at 2^31 - 1 milliseconds; beyond it they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function limitsOf(given: Limits, defaults: Required<Limits> = DEFAULTS): Required<Limits> {
  const limits = { ...defaults };
  for (const name of Object.keys(DEFAULTS) as (keyof Limits)[]) {
    const value = (limits[name] = given[name] ?? limits[name]);
    if (!(value >= 0 && value <= LONGEST_TIMER_MS)) refuse(`${name} is out of range.`);
  }
  return limits;
}

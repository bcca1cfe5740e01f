import { refuse } from './environment.js';

/** Timeouts and retries of a client or of a single call. */
export interface Limits {
  /** Milliseconds per attempt, up to the last byte of its response. Default: 15,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds for all attempts and waits together, including your own functions. Default: 45,000. */
  totalTimeoutMs?: number | undefined;
  /** Retries after a transient failure. Default: 2; 0 turns them off. */
  maxRetries?: number | undefined;
}

export type ResolvedLimits = { [Name in keyof Limits]-?: number };

export const DEFAULT_LIMITS: ResolvedLimits = { timeoutMs: 15_000, totalTimeoutMs: 45_000, maxRetries: 2 };

/** A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function resolveLimits<Defaults extends ResolvedLimits>(limits: Limits, defaults: Defaults): Defaults {
  const resolved = { ...defaults };

  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const value = (resolved[name] = limits[name] ?? resolved[name]);
    if (!(value >= 0 && value <= MAX_TIMER_MS)) refuse(`${name} is out of range.`);
  }
  return resolved;
}

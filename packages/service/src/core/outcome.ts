/** The outcome of a page's request: done, or the reason it was refused. A refused request wrote nothing. */
import type { Reason } from '../shared/reason.js';
import { given } from './given.js';

/** One problem of one input. `field` is its path in the request body. */
export interface Problem {
  field: string;
  message: string;
  reason?: Reason;
}

export interface Done<T> {
  readonly ok: true;
  readonly value: T;
}

/** The payer's input is invalid. Lists every problem. */
export interface Invalid {
  readonly ok: false;
  readonly code: 'invalid';
  readonly problems: readonly Problem[];
}

/** The input is valid, but the request cannot be done. */
export interface Refused {
  readonly ok: false;
  readonly code:
    | 'conflict'
    | 'expired'
    | 'canceled'
    | 'too_many_attempts'
    | 'not_found'
    | 'payments_unavailable';
  /** For the payer, including what to do next. */
  readonly message: string;
  readonly reason?: Reason;
}

export type Checked<T> = Done<T> | Invalid;

export type Outcome<T> = Done<T> | Invalid | Refused;

export function done<T>(value: T): Done<T> {
  return { ok: true, value };
}

export function invalid(...problems: Problem[]): Invalid {
  return { ok: false, code: 'invalid', problems };
}

export function refused(code: Refused['code'], message: string, reason?: Reason): Refused {
  return { ok: false, code, message, ...given({ reason }) };
}

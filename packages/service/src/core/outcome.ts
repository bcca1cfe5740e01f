/** What becomes of something that a page asked: done, or why not. Nothing was written of what is not done. */
import type { Reason } from '../shared/reason.js';
import { given } from './given.js';

/** One thing wrong with one input; `field` is its path in the request body. */
export interface Problem {
  field: string;
  message: string;
  reason?: Reason;
}

export interface Done<T> {
  readonly ok: true;
  readonly value: T;
}

/** What the payer typed cannot be taken: all that is wrong with it, at once. */
export interface Invalid {
  readonly ok: false;
  readonly code: 'invalid';
  readonly problems: readonly Problem[];
}

/** Nothing is wrong with what was typed; it cannot be done all the same. */
export interface Refused {
  readonly ok: false;
  readonly code:
    | 'conflict'
    | 'expired'
    | 'canceled'
    | 'too_many_attempts'
    | 'not_found'
    | 'payments_unavailable';
  /** For the payer, with what to do next. */
  readonly message: string;
  readonly reason?: Reason;
}

/** An input that was checked. */
export type Checked<T> = Done<T> | Invalid;

/** @example return method ? done(method) : refused('not_found', 'This payment method was removed.'); */
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

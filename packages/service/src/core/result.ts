/** The result of a page's request: a value, or the reason for refusing it. A refused request has written nothing. */
import type { Reason } from '../shared/page.js';
import { defined } from './defined.js';

/** A problem with one input. `field` is its path in the request body. */
export interface Problem {
  field: string;
  message: string;
  reason?: Reason;
}

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

/** The payer's input is invalid. Lists every problem. */
export interface Invalid {
  readonly ok: false;
  readonly code: 'invalid';
  readonly problems: readonly Problem[];
}

/** The input is valid, but the current state doesn't allow the request. */
export interface Refused {
  readonly ok: false;
  readonly code:
    | 'conflict'
    | 'expired'
    | 'canceled'
    | 'too_many_attempts'
    | 'rate_limited'
    | 'not_found'
    | 'payments_unavailable';
  /** Shown to the payer. Says what to do next. */
  readonly message: string;
  readonly reason?: Reason;
}

export type Validated<T> = Ok<T> | Invalid;

export type Result<T> = Ok<T> | Invalid | Refused;

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

export function invalid(...problems: Problem[]): Invalid {
  return { ok: false, code: 'invalid', problems };
}

export function refused(code: Refused['code'], message: string, reason?: Reason): Refused {
  return { ok: false, code, message, ...defined({ reason }) };
}

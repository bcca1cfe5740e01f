import type { Reason } from '../../shared/reason.js';

/** Why a flow does not do what its page asked: nothing was written. */
export interface Refused {
  readonly ok: false;
  readonly code: 'invalid' | 'conflict' | 'expired' | 'too_many_attempts' | 'not_found';
  /** For the payer, with what to do next. */
  readonly message: string;
  readonly field?: string;
  readonly reason?: Reason;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | Refused;

export function refused(
  code: Refused['code'],
  message: string,
  about: Pick<Refused, 'field' | 'reason'> = {},
): Refused {
  return { ok: false, code, message, ...about };
}

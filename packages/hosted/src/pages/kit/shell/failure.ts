import { rest } from '../text/index.js';
import type { Refusal } from './api.js';

const TEXTS: Readonly<Record<Refusal, keyof typeof rest.failure>> = {
  conflict: 'conflict',
  too_many_attempts: 'conflict',
  not_found: 'notFound',
  payments_unavailable: 'unavailable',
  rate_limited: 'tooMany',
  invalid: 'invalid',
  expired: 'internal',
  canceled: 'internal',
  unauthorized: 'internal',
};

/** Describes a refusal to the payer. */
export function failureText(code: Refusal): string {
  return rest.failure[TEXTS[code]];
}

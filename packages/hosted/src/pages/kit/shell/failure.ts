import { rest } from '../text/index.js';
import type { Refusal } from './api.js';

/** Describes a refusal to the payer. */
export function failureText(code: Refusal): string {
  switch (code) {
    case 'conflict':
    case 'too_many_attempts':
      return rest.failure.conflict;
    case 'not_found':
      return rest.failure.notFound;
    case 'payments_unavailable':
      return rest.failure.unavailable;
    case 'rate_limited':
      return rest.failure.tooMany;
    case 'invalid':
      return rest.failure.invalid;
    case 'expired':
    case 'canceled':
    case 'unauthorized':
      return rest.failure.internal;
  }
}

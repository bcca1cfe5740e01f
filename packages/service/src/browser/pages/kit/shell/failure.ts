import { t } from '../text/index.js';
import type { Refusal } from './api.js';

/** What a refusal means to the payer. */
export function failureText(code: Refusal): string {
  switch (code) {
    case 'conflict':
    case 'too_many_attempts':
      return t.failure.conflict;
    case 'not_found':
      return t.failure.notFound;
    case 'payments_unavailable':
      return t.failure.unavailable;
    case 'invalid':
      return t.failure.invalid;
    case 'expired':
    case 'canceled':
    case 'unauthorized':
      return t.failure.internal;
  }
}

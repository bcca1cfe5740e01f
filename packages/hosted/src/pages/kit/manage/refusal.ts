import type { FlowReason } from '@shared/page.js';
import type { ApiResult } from '../shell/api.js';
import { failureText } from '../shell/failure.js';
import { manage, rest } from '../text/index.js';

/** Explains in the payer's language why an action of a management page failed. */
export function refusalText(result: Exclude<ApiResult<unknown>, { kind: 'ok' }>): string {
  if (result.kind === 'unreachable') return rest.failure.unreachable;
  if (result.code === 'too_many_attempts') return manage.wallet.tooManyTries;

  const words: Record<FlowReason, string> & Partial<Record<string, string>> = {
    used_by_autopay: manage.wallet.inUseAutopay,
    used_by_scheduled: manage.wallet.inUseScheduled,
    enrolled_by_another: manage.autopay.byAnother,
    not_enrolled: manage.autopay.notEnrolled,
    payment_started: manage.scheduled.started,
    already_scheduled: manage.schedule.already,
    wallet_full: manage.wallet.full,
  };
  const reason = result.errors[0]?.reason;
  return words[reason ?? ''] ?? failureText(result.code);
}

/** Shows above the form why the last attempt to pay failed. */
import type { DeclineAdvice } from '@shared/page.js';
import { Notice } from '../../kit/design/notice.js';
import { failureText } from '../../kit/shell/failure.js';
import { after } from '../../kit/text/index.js';
import type { FormNotice } from './payment-state.js';

export function FormNoticeView({ notice }: { notice: FormNotice }) {
  switch (notice.kind) {
    case 'declined': {
      const [what, hint] = declineTexts(notice.advice);
      return (
        <Notice tone="danger" focused>
          <p>
            <b>{what}</b>
          </p>
          <p>
            {hint} {notice.attemptsLeft <= 3 && after.attemptsLeft(notice.attemptsLeft)}
          </p>
        </Notice>
      );
    }
    case 'never_arrived':
      return (
        <Notice tone="warning" focused>
          <p>
            <b>{after.neverArrived}</b>
          </p>
          <p>{after.neverArrivedHint}</p>
        </Notice>
      );
    case 'failed':
      return (
        <Notice tone="danger" focused>
          <p>{failureText(notice.code)}</p>
        </Notice>
      );
  }
}

function declineTexts(advice: DeclineAdvice | undefined): [what: string, hint: string] {
  if (advice === 'not_confirmed') return [after.notConfirmed, after.neverArrivedHint];
  return [after.declined, advice === undefined ? after.declinedHint : after.declineAdvice[advice]];
}

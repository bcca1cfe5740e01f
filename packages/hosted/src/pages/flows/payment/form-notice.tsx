/** Shows above the form why the last attempt to pay failed, or why nothing is selected. */
import { Notice } from '../../kit/design/notice.js';
import { failureText } from '../../kit/shell/failure.js';
import { DefaultNotice } from '../../kit/source/default-notice.js';
import { after } from '../../kit/text/index.js';
import type { PaymentFormProps } from './payment-form.js';
import type { FormNotice } from './payment-state.js';

export function FormNotices({ form, state, session }: Pick<PaymentFormProps, 'form' | 'state' | 'session'>) {
  const notice = state.step === 'form' && form.state.refusedFields === 0 ? state.notice : undefined;
  return notice === undefined ? (
    <DefaultNotice session={session} />
  ) : (
    <FormNoticeView key={notice} notice={notice} />
  );
}

function FormNoticeView({ notice }: { notice: FormNotice }) {
  switch (notice.kind) {
    case 'declined':
      return (
        <Notice tone="danger" focused>
          <p>
            <b>{notice.advice === 'not_confirmed' ? after.notConfirmed : after.declined}</b>
          </p>
          <p>
            {notice.advice === undefined ? after.declinedHint : after.declineAdvice[notice.advice]}{' '}
            {notice.attemptsLeft <= 3 && after.attemptsLeft(notice.attemptsLeft)}
          </p>
        </Notice>
      );
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

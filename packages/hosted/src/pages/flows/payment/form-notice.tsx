/** Shows above the form why the last attempt to pay failed, or why nothing is selected. */
import { Notice } from '../../kit/design/notice.js';
import { day } from '../../kit/format/date.js';
import { money } from '../../kit/format/money.js';
import { failureText } from '../../kit/shell/problem.js';
import { DefaultNotice } from '../../kit/source/default-notice.js';
import { after } from '../../kit/text/index.js';
import type { PaymentFormProps } from './payment-form.js';
import type { FormNotice } from './payment-state.js';

export function FormNotices({ form, state, session }: Pick<PaymentFormProps, 'form' | 'state' | 'session'>) {
  const notice = state.step === 'form' && form.state.refusedFields === 0 ? state.notice : undefined;
  if (notice !== undefined) return <FormNoticeView key={notice} notice={notice} />;

  const { scheduled } = session;
  return (
    <>
      {scheduled && (
        <Notice tone="warning">
          <p>{after.scheduled(money(scheduled.amount), day(scheduled.date))}</p>
        </Notice>
      )}
      <DefaultNotice session={session} />
    </>
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

import type { ScheduledPayment } from '../../../wire/page.js';
import { Icon } from '../design/icons.js';
import { day } from '../format/date.js';
import { money } from '../format/money.js';
import { methodName } from '../source/saved-method.js';
import { manage } from '../text/index.js';

const TONES: Record<ScheduledPayment['status'], string> = {
  scheduled: '',
  executing: '',
  executed: 'good',
  failed: 'bad',
  canceled: '',
};

export function ScheduledLine({ payment }: { payment: ScheduledPayment }) {
  const text = manage.scheduled;
  return (
    <>
      <div class="item">
        <span class="mark" aria-hidden="true">
          <Icon name="calendar" />
        </span>
        <div class="item-text">
          <span>
            <span class="money">{money(payment.amount)}</span> · {day(payment.date)}
          </span>
          <small>{methodName(payment.method)}</small>
        </div>
        <span class={`tag ${TONES[payment.status]}`}>{text.status[payment.status]}</span>
      </div>
      {payment.status === 'failed' && <p class="quiet">{text.failedHint}</p>}
    </>
  );
}

import type { ComponentChildren } from 'preact';
import type { AutopayEnrollment, ChargeObstacle, ScheduledPayment } from '@shared/page.js';
import { ProblemLine } from '../design/field.js';
import { day } from '../format/date.js';
import { money } from '../format/money.js';
import { MethodMark } from '../source/method-mark.js';
import { methodName } from '../source/saved-method.js';
import { manage, rest, t } from '../text/index.js';

const TONES: Record<ScheduledPayment['status'], string> = {
  scheduled: '',
  executing: '',
  executed: 'good',
  failed: 'bad',
  canceled: '',
};

export const OBSTACLES: Readonly<Record<ChargeObstacle, () => string>> = {
  blocked: () => t.method.blocked,
  not_accepted: () => rest.invalid.methodNotOffered,
  expired: () => manage.schedule.expiredByThen,
};

interface ScheduledListProps {
  title: string;
  payments: readonly ScheduledPayment[];
  /** Actions for one payment. */
  actions?: (payment: ScheduledPayment) => ComponentChildren;
}

/** Scheduled payments under a heading. Renders nothing if the list is empty. */
export function ScheduledList({ title, payments, actions }: ScheduledListProps) {
  if (payments.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="items">
        {payments.map((payment) => (
          <li key={payment.id}>
            <ScheduledLine payment={payment} />
            {actions?.(payment)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ScheduledLine({ payment }: { payment: ScheduledPayment }) {
  const text = manage.scheduled;
  return (
    <div class="item">
      <MethodMark {...payment.method} />
      <div class="item-text">
        <span>
          <span class="part money">{money(payment.amount)}</span>
          <span class="part">{day(payment.date)}</span>
        </span>
        <small>{methodName(payment.method)}</small>
        {payment.status === 'failed' && <small>{text.failedHint}</small>}
        {payment.problem && <ProblemLine id={payment.id} problem={OBSTACLES[payment.problem]()} />}
      </div>
      <span class={`tag ${TONES[payment.status]}`}>{text.status[payment.status]}</span>
    </div>
  );
}

/** The upcoming charges of the service or the merchant, earliest first. */
export function chargesAhead({ next, scheduled = [], method }: AutopayEnrollment): string[] {
  return [...(next === undefined ? [] : [next]), ...scheduled]
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ amount, date }) => manage.autopay.next(money(amount), day(date), methodName(method)));
}

/** Which amounts and days can be scheduled. */
import { MAX_SCHEDULED } from '@shared/limits.js';
import type { SchedulePageSession } from '@shared/page.js';
import type { Problems, Values } from '../../kit/design/form.js';
import { day } from '../../kit/format/date.js';
import { money, parseAmount } from '../../kit/format/money.js';
import { manage, rest } from '../../kit/text/index.js';

/** The account's due date, if it is within the limits. */
export function dueDayOf({
  account: { dueDate },
  earliest,
  latest,
}: SchedulePageSession): string | undefined {
  return dueDate !== undefined && dueDate >= earliest && dueDate <= latest ? dueDate : undefined;
}

/** Common choices, each with its date. */
export function shortcuts(session: SchedulePageSession): [string, string][] {
  const { earliest } = session;
  const dueDate = dueDayOf(session);
  const text = manage.schedule;
  return [
    ...(dueDate === undefined
      ? []
      : [[text.onDueDate(day(dueDate, 'short')), dueDate] satisfies [string, string]]),
    ...(dueDate === earliest
      ? []
      : [[text.tomorrow(day(earliest, 'short')), earliest] satisfies [string, string]]),
  ];
}

/** Validates amount and date. */
export function checkSchedule(values: Values, limits: { earliest: string; latest: string }): Problems {
  const problems: Record<string, string> = {};
  const cents = parseAmount(values['amount'] ?? '');
  if (cents === null) problems['amount'] = rest.invalid.amount;
  else if (cents < 1 || cents > MAX_SCHEDULED)
    problems['amount'] = rest.invalid.amountRange(money(1), money(MAX_SCHEDULED));
  const date = values['date'] ?? '';
  if (date === '') problems['date'] = rest.invalid.date;
  else if (date < limits.earliest || date > limits.latest) {
    problems['date'] = rest.invalid.dateRange(day(limits.earliest), day(limits.latest));
  }
  return problems;
}

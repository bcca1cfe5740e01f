/** One-time scheduled payments. Each is charged when its day begins in the business unit's time zone. */
import { MAX_SCHEDULED } from '../shared/limits.js';
import type { ScheduleStatus } from '../shared/page.js';
import { addDays, startOf } from '../core/day.js';
import type { WaitingRows } from '../core/queue-rows.js';
import { ok, invalid, type Validated, type Problem } from '../core/result.js';
import { isId } from '../core/page-ids.js';
import { defined } from '../core/defined.js';
import { isRecord } from '../processor/rules/source.js';

export interface Schedule {
  readonly id: string;
  readonly businessUnit: string;
  readonly sessionId: string;
  /** The page's id of the request, which makes scheduling idempotent. */
  readonly requestId: string;
  readonly accountId: string;
  readonly customerId: string;
  readonly methodId: string;
  readonly amount: number;
  readonly date: string;
  readonly status: ScheduleStatus;
  /** Why it failed, for the payer. */
  readonly reason?: string;
  readonly createdAt: number;
  readonly authorizationId?: string;
}

export interface Schedules {
  get(id: string): Promise<Schedule | null>;
  findByRequest(customerId: string, requestId: string): Promise<Schedule | null>;
  /** Upcoming payments, by date, then age. */
  upcoming(accountId: string, customerId: string): Promise<Schedule[]>;
  /** The next payment that has not begun. */
  next(accountId: string, customerId: string): Promise<Schedule | null>;
  /** The last `limit` past payments, by date, then age. */
  past(accountId: string, customerId: string, limit: number): Promise<Schedule[]>;
  /** Whether any customer's payment for the account is due on this day, `YYYY-MM-DD`, and has not begun. */
  hasDue(accountId: string, today: string): Promise<boolean>;
  /** All customers' scheduled payments for an account by the end of a day, at most 1,000. */
  due(accountId: string, day: string): Promise<readonly Pick<Schedule, 'amount' | 'date' | 'methodId'>[]>;
  insert(schedule: Schedule): Promise<unknown>;
  /** Writes `status` and `reason`. */
  update(schedule: Schedule): Promise<unknown>;
  readonly waiting: WaitingRows;
  list(businessUnit: string): Promise<Schedule[]>;
}

/** The days that a payer can choose: tomorrow to a year from today. */
export function scheduleWindow(today: string): { earliest: string; latest: string } {
  return { earliest: addDays(today, 1), latest: addDays(today, 365) };
}

/** Limit of upcoming payments per customer and account. Pages show all of them. */
export const MAX_UPCOMING = 100;

/** Limit of past payments that a page shows. */
export const MAX_PAST = 50;

export interface ScheduleInput {
  amount: number;
  date: string;
  methodId: string;
  /** Ids of the payments that the page lists. Undefined for pages of an older release. */
  listed?: readonly string[];
}

export function checkSchedule(input: unknown, today: string): Validated<ScheduleInput> {
  const fields = isRecord(input) ? input : {};
  const problems: Problem[] = [];
  const { amount, date, methodId, listed } = fields;
  if (!Number.isInteger(amount) || Number(amount) < 1 || Number(amount) > MAX_SCHEDULED) {
    const max = (MAX_SCHEDULED / 100).toFixed(2);
    problems.push({ field: 'amount', message: `Enter an amount from $0.01 to $${max}.` });
  }
  const { earliest, latest } = scheduleWindow(today);
  if (typeof date !== 'string' || startOf(date) === null || date < earliest || date > latest) {
    problems.push({ field: 'date', message: `Choose a day from ${earliest} to ${latest}.` });
  }
  if (typeof methodId !== 'string') problems.push({ field: 'methodId', message: 'Choose a payment method.' });
  if (listed !== undefined && !(Array.isArray(listed) && listed.every(isId)))
    problems.push({ field: 'listed', message: 'Send the ids of scheduled payments.' });
  return problems.length > 0
    ? invalid(...problems)
    : ok({
        amount: amount as number,
        date: date as string,
        methodId: methodId as string,
        ...defined({ listed: listed as string[] | undefined }),
      });
}

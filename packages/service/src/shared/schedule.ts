/** What can become of a scheduled payment. `executing`: charged, and a bank payment has not settled yet. */
export const SCHEDULE_STATUSES = ['scheduled', 'executing', 'executed', 'failed', 'canceled'] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

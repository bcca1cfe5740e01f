/** Statuses of a scheduled payment. `executing`: charged, but the bank payment hasn't settled yet. */
export type ScheduleStatus = 'scheduled' | 'executing' | 'executed' | 'failed' | 'canceled';

/** All other statuses are past. */
export const UPCOMING_STATUSES: readonly ScheduleStatus[] = ['scheduled', 'executing'];

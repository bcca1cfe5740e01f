/** States of a scheduled payment. `executing`: charged, but the bank payment has not settled yet. */
export type ScheduleStatus = 'scheduled' | 'executing' | 'executed' | 'failed' | 'canceled';

/** Upcoming states; all others are past. */
export const AHEAD: readonly ScheduleStatus[] = ['scheduled', 'executing'];

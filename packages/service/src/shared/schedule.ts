/** What can become of a scheduled payment. `executing`: charged, and a bank payment has not settled yet. */
export type ScheduleStatus = 'scheduled' | 'executing' | 'executed' | 'failed' | 'canceled';

/** Of payments that are to come; the others are past. */
export const AHEAD: readonly ScheduleStatus[] = ['scheduled', 'executing'];

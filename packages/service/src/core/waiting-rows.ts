/** Rows that wait for a day in their business unit's time zone. */
export interface WaitingRows {
  /** The business units that have such rows, each with its first day. */
  units(): Promise<{ readonly businessUnit: string; readonly day: string }[]>;
  /** Those of one business unit that wait for `until` or an earlier day, the earliest first. */
  due(businessUnit: string, until: string, limit: number): Promise<WaitingRow[]>;
}

export interface WaitingRow {
  readonly id: string;
  readonly businessUnit: string;
  readonly sessionId: string;
}

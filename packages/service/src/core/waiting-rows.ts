/** Rows that are due on a day in their business unit's time zone. */
export interface WaitingRows {
  /** Business units with such rows, each with its first due day. */
  units(): Promise<{ readonly businessUnit: string; readonly day: string }[]>;
  /** A business unit's rows due on or before `until`, earliest first. */
  due(businessUnit: string, until: string, limit: number): Promise<WaitingRow[]>;
}

export interface WaitingRow {
  readonly id: string;
  readonly businessUnit: string;
  readonly sessionId: string;
}

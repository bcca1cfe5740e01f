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

/** Rows with a token or personal data to remove at a given time. */
export interface ForgettableRows<T> {
  /** Business units with rows whose `forgetAt` has passed. */
  unitsToForget(now: number): Promise<string[]>;
  /** Those rows, earliest first. */
  toForget(businessUnit: string, now: number, limit: number): Promise<T[]>;
  /**
   * Sets `forgetAt` to `now` for rows that release 0.3 settled or removed, and that are older than `before`. Resolves to the
   * number of rows.
   */
  forgetOlder(before: number, now: number, limit: number): Promise<number>;
}

/** Rows sent with retries: webhooks and messages to payers. A process sends a row while it holds its lease. */
export interface Queued {
  readonly id: string;
  readonly businessUnit: string;
  readonly status: string;
  readonly attempts: number;
  readonly createdAt: number;
  /** Time of the next attempt, or when it was settled, ms since the epoch. */
  readonly dueAt: number;
  /** End of a process's lease, in system time, because moving the service's clock must not send anything twice. */
  readonly leasedUntil: number;
  readonly lastError?: string;
  readonly sessionId?: string;
}

/** The state of a new row, which is due immediately. */
export function queuedNow(
  now: number,
): Pick<Queued, 'attempts' | 'createdAt' | 'dueAt' | 'leasedUntil'> & { readonly status: 'pending' } {
  return { status: 'pending', attempts: 0, createdAt: now, dueAt: now, leasedUntil: 0 };
}

export interface QueueRows<T extends Queued> {
  get(id: string): Promise<T | null>;
  /** Pending rows that are due and not leased, oldest first. */
  due(businessUnit: string, now: number, systemNow: number, limit: number): Promise<T[]>;
  /** Business units with such rows, longest waiting first. */
  unitsDue(now: number, systemNow: number): Promise<string[]>;
  /** Leases rows of {@link due} to this process until `until`. */
  lease(
    businessUnit: string,
    times: { readonly now: number; readonly systemNow: number; readonly until: number },
    limit: number,
  ): Promise<T[]>;
  /** Writes the outcome of an attempt and ends the lease until `until`. False if another process has taken over. */
  updateLeased(row: T, until: number): Promise<boolean>;
  /** Oldest first. */
  list(businessUnit: string): Promise<T[]>;
  /** The latest `limit` rows, newest first. */
  latest(limit: number): Promise<T[]>;
  /** Deletes up to `limit` rows settled by `until`. Resolves to the number deleted. */
  deleteSettled(until: number, limit: number): Promise<number>;
}

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

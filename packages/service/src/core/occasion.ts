/** The time and the ids that rules and transactions need, since they read no clock and no random numbers. */
export interface Occasion {
  /** Ms since the epoch. */
  readonly now: number;
  /** A new id that begins with `prefix`. */
  readonly newId: (prefix: string) => string;
}

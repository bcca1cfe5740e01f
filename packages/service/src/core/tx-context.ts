/** Passes the time and new ids to rules and transactions, which may not read the clock or random numbers. */
export interface TxContext {
  /** Ms since the epoch. */
  readonly now: number;
  /** A new id that begins with `prefix`. */
  readonly newId: (prefix: string) => string;
}

/** Passes the time and new ids to rules and transactions, which may not read the clock or random numbers. */
export interface TxContext {
  readonly now: number;
  readonly newId: (prefix: string) => string;
}

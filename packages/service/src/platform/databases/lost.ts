/**
 * The database was unavailable to a transaction: the connection broke or timed out, or the server is starting, stopping
 * or no longer the primary.
 */
export class Lost extends Error {
  override readonly name = 'Lost';
  /** `nothing` was committed, or it is `unknown` because the connection broke during COMMIT. */
  readonly done: 'nothing' | 'unknown';
  /** False if a retry can't help: wrong password, missing database. */
  readonly passing: boolean;

  constructor(
    message: string,
    { done = 'nothing', passing = true, cause }: Partial<Pick<Lost, 'done' | 'passing' | 'cause'>> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.done = done;
    this.passing = passing;
  }
}

/**
 * The database was not there for a transaction: a connection that broke or did not answer, a server that is starting,
 * stopping, or no primary any more.
 */
export class Lost extends Error {
  override readonly name = 'Lost';
  /** `nothing` of the transaction was done, or that is `unknown`: its COMMIT was on its way. */
  readonly done: 'nothing' | 'unknown';
  /** False where it will be the same until somebody changes something: a wrong password, no such database. */
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

import { setTimeout as delay } from 'node:timers/promises';
import { CONFLICT, unavailable } from '../../core/error.js';
import { MAX_WAIT_MS } from '../../core/store.js';

/** The connection broke or timed out, or the server is starting, stopping or no longer the primary. */
export class Lost extends Error {
  override readonly name = 'Lost';
  /** `nothing` was committed, or it is `unknown` because the connection broke during COMMIT. */
  readonly done: 'nothing' | 'unknown';
  /** False if a retry can't help: wrong password, missing database. */
  readonly transient: boolean;

  constructor(
    message: string,
    { done = 'nothing', transient = true, cause }: Partial<Pick<Lost, 'done' | 'transient' | 'cause'>> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.done = done;
    this.transient = transient;
  }
}

/** Long enough for hundreds of writers of the same row to take turns, or for a standby to be promoted. */
const GIVE_UP_AFTER_MS = 12_000;
const MAX_PAUSE_MS = 100;

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function inTurn(): (key: string) => InTurn {
  const lastOf = new Map<string, Promise<unknown>>();
  return (key) => (work) => {
    const mine = (lastOf.get(key) ?? Promise.resolve()).then(work);
    const last = mine
      .catch(() => undefined)
      .finally(() => {
        if (lastOf.get(key) === last) lastOf.delete(key);
      });
    lastOf.set(key, last);
    return mine;
  };
}

export interface RetryOptions {
  /** `work` is idempotent: repeating it after a commit changes nothing and returns the same result. */
  readonly repeatable?: boolean;
  /** Serializes retries, because concurrent retries of many writers would keep conflicting. */
  readonly again?: InTurn;
  /** When the caller began to wait, as `performance.now()`. */
  readonly startedAt?: number;
}

/**
 * Retries `work`, after a jittered pause, while it conflicts with another transaction (serialization failure, deadlock,
 * unique violation, busy file, a table being created by another process) or the database is unavailable. If a COMMIT
 * got no response, retries only `repeatable` work and passes it `repeated`.
 * @throws ServiceError `unavailable` when it gives up
 */
export async function retrying<T>(
  work: (repeated: boolean) => Promise<T>,
  { repeatable = false, again = (work) => work(), startedAt = performance.now() }: RetryOptions = {},
): Promise<T> {
  let violations = 0;
  let lastError: unknown = null;
  let why: FailureKind | null = null;
  let repeated = false;
  const givenUp = () => unavailable(lastError, why === 'conflict' || why === 'taken' ? CONFLICT : undefined);
  const run = (): Promise<T> => {
    // The request has timed out by now. Lists rely on this limit.
    if (performance.now() > startedAt + MAX_WAIT_MS) throw givenUp();
    return work(repeated);
  };
  for (let attempt = 0; ; attempt++) {
    try {
      return await (why !== null && IN_TURN.has(why) ? again(run) : run());
    } catch (error) {
      why = failureKind(error);
      if (why === null) throw error;
      if (why === 'taken' && ++violations > MAX_UNIQUE_VIOLATIONS) throw error;
      lastError = error;
      if (
        why === 'hopeless' ||
        (why === 'unknown' && !repeatable) ||
        performance.now() > startedAt + GIVE_UP_AFTER_MS
      )
        throw givenUp();
      repeated ||= why === 'unknown';
      await delay(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
    }
  }
}

const CONFLICTS: ReadonlySet<unknown> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '42P07', // duplicate_table
  '42710', // duplicate_object: the row type of a table that another process is creating
]);
/** Another program has the lock of the database file. */
const FILE_BUSY: ReadonlySet<unknown> = new Set(['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED']);
// A retry sees the other transaction's row, so repeated violations are a bug in `work`.
const TAKEN: ReadonlySet<unknown> = new Set([
  '23505', // unique_violation
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);
const MAX_UNIQUE_VIOLATIONS = 5;
/** insufficient_privilege: a retry can't help until someone grants the privilege. */
const FORBIDDEN = '42501';

type FailureKind = 'conflict' | 'busy' | 'taken' | 'lost' | 'unknown' | 'hopeless';

const IN_TURN: ReadonlySet<FailureKind> = new Set(['conflict', 'busy', 'taken']);

function failureKind(error: unknown): FailureKind | null {
  if (error instanceof Lost) {
    if (!error.transient) return 'hopeless';
    return error.done === 'unknown' ? 'unknown' : 'lost';
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (CONFLICTS.has(code)) return 'conflict';
  if (FILE_BUSY.has(code)) return 'busy';
  if (code === FORBIDDEN) return 'hopeless';
  return TAKEN.has(code) ? 'taken' : null;
}

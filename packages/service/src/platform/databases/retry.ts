import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../core/error.js';
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

/** Runs work of the same key one after another. */
export function inTurn(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const lastOf = new Map<string, Promise<unknown>>();
  return (key, work) => {
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
 * Retries `work`, after a jittered pause, while it conflicts with another transaction or the database is unavailable. If a
 * COMMIT got no response, retries only `repeatable` work and passes it `repeated`.
 * @throws ServiceError `unavailable` when it gives up
 */
export async function retrying<T>(
  work: (repeated: boolean) => Promise<T>,
  { repeatable = false, again = (work) => work(), startedAt = performance.now() }: RetryOptions = {},
): Promise<T> {
  let violations = 0;
  let lastError: unknown = null;
  let lastKind: FailureKind | null = null;
  let repeated = false;
  const run = (): Promise<T> => {
    // The request has timed out by now. Lists rely on this limit.
    if (performance.now() > startedAt + MAX_WAIT_MS) throw unavailable(lastError);
    return work(repeated);
  };
  for (let attempt = 0; ; attempt++) {
    try {
      const isConflict = lastKind === 'conflict' || lastKind === 'violation';
      return await (isConflict ? again(run) : run());
    } catch (error) {
      lastKind = failureKind(error);
      if (lastKind === null) throw error;
      if (lastKind === 'violation' && ++violations > MAX_VIOLATIONS) throw error;
      lastError = error;
      if (
        lastKind === 'hopeless' ||
        (lastKind === 'unknown' && !repeatable) ||
        performance.now() > startedAt + GIVE_UP_AFTER_MS
      )
        throw unavailable(error);
      repeated ||= lastKind === 'unknown';
      await delay(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
    }
  }
}

/** SQLSTATEs of PostgreSQL and result codes of SQLite. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '42P07', // duplicate_table: another process is creating it
  '42710', // duplicate_object: its row type
  5, // SQLITE_BUSY: another program has the lock of the file
  6, // SQLITE_LOCKED
]);
/** A retry sees the other transaction's row, so repeated violations are a bug in `work`. */
const VIOLATIONS: ReadonlySet<unknown> = new Set([
  '23505', // unique_violation
  1555, // SQLITE_CONSTRAINT_PRIMARYKEY
  2067, // SQLITE_CONSTRAINT_UNIQUE
]);
const MAX_VIOLATIONS = 5;
/** insufficient_privilege: a retry can't help until someone grants the privilege. */
const FORBIDDEN = '42501';

type FailureKind = 'conflict' | 'violation' | 'lost' | 'unknown' | 'hopeless';

function failureKind(error: unknown): FailureKind | null {
  if (error instanceof Lost) {
    if (!error.transient) return 'hopeless';
    return error.done === 'unknown' ? 'unknown' : 'lost';
  }
  const { code, errcode = 0 } = error as { readonly code?: unknown; readonly errcode?: number };
  if (code === FORBIDDEN) return 'hopeless';
  // The low byte of an extended result code is its primary code.
  const codes = [code, errcode, errcode & 0xff];
  if (codes.some((known) => VIOLATIONS.has(known))) return 'violation';
  return codes.some((known) => CONFLICTS.has(known)) ? 'conflict' : null;
}

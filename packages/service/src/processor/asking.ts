/**
 * The loop in which the processor is asked about rows, payments and refunds alike, and what it says is recorded.
 * Whoever asks has committed the row before (the rule of the port), so a crash at any point here leaves a row that
 * {@link Asking.settleDue} takes up.
 */
import { CHARGE_LEASE_MS, postpone } from './rules/asked.js';
import type { Asked, AskedRows } from './rules/asked.js';
import { ServiceError } from '../core/error.js';
import type { Origin } from '../webhooks/rules.js';
import type { Store, StoreTx } from '../core/store.js';
import { createApart } from '../platform/apart.js';
import { inTime } from '../platform/in-time.js';
import { describeError } from '../platform/log/log.js';
import type { Log, LogFields } from '../platform/log/log.js';
import type { Metrics } from '../platform/metrics.js';
import { logFor, storeFor } from '../platform/log/trace.js';

export interface Asking<R extends Asked> {
  /**
   * Asks about a row that the caller has just committed. Resolves what is known of it after at most `waitMs`, real ms;
   * a question that takes longer goes on and is recorded when it ends.
   */
  ask(row: R, waitMs?: number): Promise<R>;
  /**
   * What is known, after at most `waitMs`, of a row that another request has committed: it may be that one's, in this
   * process or another, so the processor is asked only where {@link Asking.settleDue} would ask.
   */
  follow(row: R, waitMs?: number): Promise<R>;
  /** Settles rows whose time has come: left behind by a crash, or pending. Resolves how many. */
  settleDue(): Promise<number>;
  /** Resolves when no question is in flight any more. */
  idle(): Promise<void>;
  /** The same, asked by a request, which is named by whatever comes of it. */
  for(origin: Origin): Asking<R>;
}

/** How long a payer is kept waiting for an answer, real ms. */
export const ASK_WAIT_MS = 15_000;
/** Code of a wait that is over. */
const LATE = 'asked_too_long';
/** Rows that are asked about at once. */
export const AT_ONCE = 8;

/** One question to the processor. */
export interface Question<R extends Asked> {
  readonly row: R;
  /** For the log. */
  readonly what: NonNullable<LogFields['asked']>;
  readonly sessionId: string;
  /** How long it may take, real ms. */
  readonly limitMs: number;
  /** A module of the operator's need not answer by a promise. */
  readonly ask: () => unknown;
  /** Null: that is none of the outcomes. */
  readonly heard: (said: unknown) => Promise<R> | null;
  /** No outcome is known. */
  readonly inVain?: () => void;
}

/** What one kind of rows has of its own. */
export interface Kind<R extends Asked, H extends Asked = R> {
  /** The job that asks again. */
  readonly job: 'settle' | 'refund';
  readonly rows: (tx: StoreTx) => AskedRows<R, H>;
  /** What the log calls a row by. */
  readonly about: (row: H) => Pick<LogFields, 'sessionId' | 'paymentId'>;
  /** The question of a row that was just committed, and of one whose time has come. */
  readonly first: Work<R>;
  readonly again: Work<R>;
}

/** Asks about one row and records what is said. */
export type Work<R extends Asked> = (row: R, asker: Asker<R>) => Promise<R>;

export interface Asker<R extends Asked> {
  /** Puts the question, and asks again later where there is no answer. */
  readonly put: (question: Question<R>) => Promise<R>;
  /** Asks again later. */
  readonly postpone: (row: R) => Promise<R>;
}

export interface AskingParts {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'jobFailed'>;
  /** Of the request that asks, if it is one. */
  readonly origin?: Origin;
}

/** @param kindOf null: there is nobody to ask */
export function createAsking<H extends Asked, R extends H, P extends AskingParts>(
  parts: P,
  kindOf: ((parts: P) => Kind<R, H>) | null,
): Asking<R> {
  if (kindOf === null) {
    const nobody: Asking<R> = {
      ask: async (row) => row,
      follow: async (row) => row,
      settleDue: async () => 0,
      idle: async () => undefined,
      for: () => nobody,
    };
    return nobody;
  }
  const running = new Map<string, Promise<R>>();
  const asking = (of: P): Asking<R> => ({
    ...askingOf(of, kindOf(of), running),
    for: (origin) =>
      asking({ ...of, origin, store: storeFor(parts.store, origin), log: logFor(parts.log, origin) }),
  });
  return asking(parts);
}

/** @param running questions in flight, by their row */
function askingOf<H extends Asked, R extends H>(
  parts: AskingParts,
  kind: Kind<R, H>,
  running: Map<string, Promise<R>>,
): Omit<Asking<R>, 'for'> {
  const { store, clock, log } = parts;
  const { job, rows, about, first, again } = kind;
  const apart = createApart(parts, job);

  /** Puts the time at which others may take the row over; null when it is settled or another's meanwhile. */
  const lease = ({ id }: H, claim: boolean): Promise<R | null> => {
    const now = clock.now();
    return store.transaction(async (tx) => {
      const current = await rows(tx).get(id);
      if (!current || current.dueAt === undefined || (claim && current.dueAt > now)) return null;
      const leased: R = { ...current, dueAt: now + CHARGE_LEASE_MS };
      await rows(tx).update(leased);
      return leased;
    });
  };

  const later = async (row: R): Promise<R> => {
    const now = clock.now();
    return (await store.transaction((tx) => postpone(rows(tx), row.id, now))) ?? row;
  };

  const asker: Asker<R> = {
    postpone: later,
    put: async ({ row, what, sessionId, limitMs, ask, heard, inVain }) => {
      try {
        const recorded = heard(await inTime(Promise.resolve(ask()), limitMs, 'processor_timeout'));
        if (recorded) return await recorded;
        log.error('The processor answered with something else than an outcome', {
          asked: what,
          ...about(row),
          sessionId,
        });
      } catch (error) {
        log.warn('The processor was asked in vain, it will be asked again', {
          asked: what,
          ...about(row),
          sessionId,
          error: nameOnly(error),
        });
      }
      inVain?.();
      return later(row);
    },
  };

  const run = (row: R, work: Work<R>): Promise<R> => {
    const known = running.get(row.id);
    if (known) return known;
    const renewal = setInterval(() => {
      lease(row, false).catch((error: unknown) => {
        log.warn('A question in flight could not renew its lease', {
          ...about(row),
          error: describeError(error),
        });
      });
    }, CHARGE_LEASE_MS / 3);
    const asking = work(row, asker)
      .catch((error: unknown) => {
        log.error("The processor's answer could not be recorded, it will be asked again", {
          ...about(row),
          error: describeError(error),
        });
        return row;
      })
      .finally(() => {
        clearInterval(renewal);
        running.delete(row.id);
      });
    running.set(row.id, asking);
    return asking;
  };

  /** It goes on when the wait is over, and is recorded when it ends. */
  const within = (waitMs: number, row: R, asked: Promise<R>): Promise<R> =>
    inTime(asked, waitMs, LATE).catch((error: unknown) => {
      if (describeError(error).code === LATE) return row;
      throw error;
    });
  const known = (row: R, work: Work<R>, waitMs: number): Promise<R> => within(waitMs, row, run(row, work));

  const isDue = ({ dueAt }: R): boolean => dueAt !== undefined && dueAt <= clock.now();

  const follow = async (row: R, waitMs = ASK_WAIT_MS): Promise<R> => {
    if (running.has(row.id)) return known(row, again, waitMs);
    if (!isDue(row)) return row;
    const claimed = lease(row, true);
    return within(
      waitMs,
      row,
      claimed.then((mine) => (mine ? run(mine, again) : row)),
    );
  };

  return {
    // Where the commit took longer than the lease, another process may have asked already.
    ask: (row, waitMs = ASK_WAIT_MS) => (isDue(row) ? follow(row, waitMs) : known(row, first, waitMs)),
    follow,
    settleDue: () =>
      apart.each<H>({
        find: async (limit) => {
          const due = await store.read((tx) => rows(tx).due(clock.now(), limit + running.size));
          return due.filter(({ id }) => !running.has(id));
        },
        limit: AT_ONCE,
        atOnce: AT_ONCE,
        about,
        work: async (row) => {
          const claimed = await lease(row, true);
          if (claimed) await known(claimed, again, ASK_WAIT_MS);
          return claimed !== null;
        },
      }),
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}

/** A processor's own words may hold what the payer typed: its message stays out of the log. */
export function nameOnly(error: unknown): { name: string; code?: string; message: string } {
  if (error instanceof ServiceError) return describeError(error);
  const { name, code } = describeError(error);
  return {
    name,
    ...(code === undefined ? {} : { code }),
    message: 'The message of the processor is not logged.',
  };
}

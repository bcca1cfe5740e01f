/**
 * Calls the processor for payments and refunds and records the outcome. Callers commit the row first (the rule of the
 * port), so after a crash at any point {@link ProcessorCalls.settleDue} picks the row up.
 */
import { CHARGE_LEASE_MS, postpone } from './rules/operation.js';
import type { Operation, OperationRows } from './rules/operation.js';
import type { Device } from './rules/port.js';
import type { Session } from '../sessions/rules/session.js';
import { ServiceError } from '../core/error.js';
import type { Origin } from '../webhooks/rules.js';
import type { Store, StoreTx } from '../core/store.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { createItemRunner } from '../platform/item-runner.js';
import { inTime } from '../platform/in-time.js';
import { describeError } from '../platform/log/log.js';
import type { Log, LogFields } from '../platform/log/log.js';
import type { Metrics } from '../platform/metrics.js';
import { logFor, storeFor } from '../platform/log/trace.js';
import { Slots } from '../platform/slots.js';

export interface ProcessorCalls<R extends Operation> {
  /**
   * Calls the processor for a row that the caller has just committed. Resolves to the latest state after at most
   * `waitMs`, real ms; a slower call continues in the background and is still recorded.
   */
  ask(row: R, waitMs?: number): Promise<R>;
  /**
   * Resolves to the state, after at most `waitMs`, of a row that another request committed. That request may still be
   * calling the processor, in any process, so this calls it only when {@link ProcessorCalls.settleDue} would.
   */
  follow(row: R, waitMs?: number): Promise<R>;
  /** The business units with due rows. */
  dueUnits(): Promise<string[]>;
  /** Settles a few due rows of a business unit, pending or left behind by a crash. Resolves to their number. */
  settleDue(businessUnit: string): Promise<number>;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
  /** The same on behalf of a request, which appears in logs and webhooks. */
  for(origin: Origin, page?: PageParts): ProcessorCalls<R>;
}

/** Maximum wait of a payer for the processor, real ms. */
export const ASK_WAIT_MS = 15_000;
/** Error code of a wait that timed out. */
const LATE = 'asked_too_long';

/** A call to the processor. */
export interface Question<R extends Operation> {
  readonly row: R;
  /** For the log. */
  readonly what: NonNullable<LogFields['operation']>;
  readonly sessionId: string;
  /** Timeout, real ms. */
  readonly limitMs: number;
  /** The operator's module might not return a promise. */
  readonly ask: () => unknown;
  /** Records the answer; null if it is not a known outcome. */
  readonly heard: (said: unknown) => Promise<R> | null;
  /** Called if there is no valid answer. */
  readonly onNoAnswer?: () => void;
}

/** What differs between payments and refunds. */
export interface Kind<R extends Operation, H extends Operation = R> {
  /** The job that retries. */
  readonly job: 'settle' | 'refund';
  readonly rows: (tx: StoreTx) => OperationRows<R, H>;
  /** Log fields that identify a row. */
  readonly about: (row: H) => Pick<LogFields, 'sessionId' | 'paymentId'>;
  /** Work for a row that was just committed, and for a row that is due. */
  readonly first: Work<R>;
  readonly again: Work<R>;
}

/** Calls the processor for a row and records the answer. */
export type Work<R extends Operation> = (row: R, asker: CallTools<R>) => Promise<R>;

export interface CallTools<R extends Operation> {
  /** Calls the processor, and schedules a retry if there is no valid answer. */
  readonly put: (question: Question<R>) => Promise<R>;
  /** Schedules a retry. */
  readonly postpone: (row: R) => Promise<R>;
}

export interface ProcessorCallsParts extends PageParts {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly config: Pick<ServiceConfig, 'processor'>;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'jobFailed'>;
  /** The current request, if any. */
  readonly origin?: Origin;
}

/** What a request of a payer's page knows already, which saves a round trip to the database. */
export interface PageParts {
  /** The browser that sent it. Must not be logged. */
  readonly device?: Device;
  /** The session of the page. */
  readonly session?: Session;
}

/** @param kindOf returns null if there is no processor */
export function createProcessorCalls<H extends Operation, R extends H, P extends ProcessorCallsParts>(
  parts: P,
  kindOf: ((parts: P) => Kind<R, H>) | null,
): ProcessorCalls<R> {
  if (kindOf === null) {
    const nobody: ProcessorCalls<R> = {
      ask: async (row) => row,
      follow: async (row) => row,
      dueUnits: async () => [],
      settleDue: async () => 0,
      idle: async () => undefined,
      for: () => nobody,
    };
    return nobody;
  }
  const running = new Map<string, Promise<R>>();
  const slots = new Slots(parts.config.processor.concurrency);
  const asking = (of: P): ProcessorCalls<R> => ({
    ...callsOf(of, kindOf(of), running, slots),
    for: (origin, page) =>
      asking({
        ...of,
        origin,
        ...page,
        store: storeFor(parts.store, origin),
        log: logFor(parts.log, origin),
      }),
  });
  return asking(parts);
}

/**
 * @param running calls in flight, by row id
 * @param slots for the calls of {@link ProcessorCalls.settleDue}
 */
function callsOf<H extends Operation, R extends H>(
  parts: ProcessorCallsParts,
  kind: Kind<R, H>,
  running: Map<string, Promise<R>>,
  slots: Slots,
): Omit<ProcessorCalls<R>, 'for'> {
  const { store, clock, config, log } = parts;
  const { job, rows, about, first, again } = kind;
  const runner = createItemRunner(parts, job);

  /** Claims or renews the lease; null if the row is settled or another process has taken it. */
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

  const asker: CallTools<R> = {
    postpone: later,
    put: async ({ row, what, sessionId, limitMs, ask, heard, onNoAnswer }) => {
      try {
        const recorded = heard(await inTime(Promise.resolve(ask()), limitMs, 'processor_timeout'));
        if (recorded) return await recorded;
        log.error('The processor answered with an invalid outcome', {
          operation: what,
          ...about(row),
          sessionId,
        });
      } catch (error) {
        log.warn('Processor request failed; will retry', {
          operation: what,
          ...about(row),
          sessionId,
          error: nameOnly(error),
        });
      }
      onNoAnswer?.();
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
        log.error("Could not record the processor's answer; will ask again", {
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

  /** Stops waiting after `waitMs`; the call continues and is still recorded. */
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
    // If the commit outlasted the lease, another process may already have called the processor.
    ask: (row, waitMs = ASK_WAIT_MS) => (isDue(row) ? follow(row, waitMs) : known(row, first, waitMs)),
    follow,
    dueUnits: () => store.read((tx) => rows(tx).unitsDue(clock.now())),
    settleDue: (businessUnit) =>
      runner.each<H>({
        find: async (limit) => {
          const due = await slots.run(() =>
            store.read((tx) => rows(tx).due(clock.now(), limit + running.size, businessUnit)),
          );
          return due.filter(({ id }) => !running.has(id));
        },
        limit: config.processor.perBusinessUnit,
        atOnce: config.processor.perBusinessUnit,
        about,
        work: (row) =>
          slots.run(async () => {
            const claimed = await lease(row, true);
            if (claimed) await known(claimed, again, ASK_WAIT_MS);
            return claimed !== null;
          }),
      }),
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}

/** Leaves out the processor's message, which may contain what the payer typed. */
export function nameOnly(error: unknown): { name: string; code?: string; message: string } {
  if (error instanceof ServiceError) return describeError(error);
  const { name, code } = describeError(error);
  return {
    name,
    ...(code === undefined ? {} : { code }),
    message: 'The message of the processor is not logged.',
  };
}

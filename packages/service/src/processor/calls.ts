/**
 * Calls the processor for payments and refunds and records the outcome. Callers commit the row first (the rule of the
 * port), so after a crash at any point {@link ProcessorCalls.settleDue} picks the row up.
 */
import { SpanKind, type Span } from '@opentelemetry/api';
import { CHARGE_LEASE_MS, postpone, type Operation, type OperationRows } from './rules/operation.js';
import { ServiceError } from '../core/error.js';
import type { Store, StoreTx } from '../core/store.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { createItemRunner, type ItemRunner } from '../platform/item-runner.js';
import { withTimeout } from '../platform/in-time.js';
import { describeError, type Log } from '../platform/log/log.js';
import type { LogFields } from '../platform/log/fields.js';
import type { Metrics } from '../platform/metrics.js';
import { Slots } from '../platform/slots.js';
import { attributesOf, inSpan, spanFailed } from '../platform/tracing.js';

/** Maximum wait of a payer for the processor, real ms. */
export const ASK_WAIT_MS = 15_000;
/** Error code of a wait that timed out. */
const LATE = 'asked_too_long';

export interface ProcessorCall<R extends Operation> {
  readonly row: R;
  /** For the log. */
  readonly operation: NonNullable<LogFields['operation']>;
  readonly sessionId: string;
  /** Timeout, real ms. */
  readonly limitMs: number;
  /** The module might not return a promise. */
  readonly send: () => unknown;
  /** Records the response; null if it is not a known outcome. */
  readonly record: (answer: unknown) => Promise<R> | null;
  readonly onNoAnswer?: () => void;
}

export interface ProcessorCallsParts {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly config: Pick<ServiceConfig, 'processor'>;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'jobFailed'>;
}

/** Work on a row; resolves to its latest state. */
type Work<R> = (row: R) => Promise<R>;

/** What payments and refunds share. A subclass defines the processor calls. */
export abstract class ProcessorCalls<R extends H, H extends Operation = R> {
  readonly #parts: ProcessorCallsParts;
  readonly #runner: ItemRunner;
  /** Calls in flight, by row id. */
  readonly #running = new Map<string, Promise<R>>();
  /** For the calls of {@link settleDue}. */
  readonly #slots: Slots;
  readonly #first: Work<R> = (row) => this.first(row);
  readonly #again: Work<R> = (row) => this.again(row);

  /** @param job the job that retries */
  constructor(parts: ProcessorCallsParts, job: 'settle' | 'refund') {
    this.#parts = parts;
    this.#runner = createItemRunner(parts, job);
    this.#slots = new Slots(parts.config.processor.concurrency);
  }

  /** False if there is no processor for this. Then rows don't change. */
  abstract readonly isPossible: boolean;
  protected abstract rows(tx: StoreTx): OperationRows<R, H>;
  /** Log fields that identify a row. */
  protected abstract about(row: H): Pick<LogFields, 'sessionId' | 'paymentId'>;
  /** Calls the processor for a row that was just committed. */
  protected abstract first(row: R): Promise<R>;
  protected abstract again(row: R): Promise<R>;

  /**
   * Calls the processor for a row that the caller has just committed. Resolves to the latest state after at most
   * `waitMs`, real ms; a slower call continues in the background and is still recorded.
   */
  async ask(row: R, waitMs: number = ASK_WAIT_MS): Promise<R> {
    if (!this.isPossible) return row;
    // If the commit outlasted the lease, another process may already have called the processor.
    return this.#isDue(row) ? this.follow(row, waitMs) : within(waitMs, row, this.#run(row, this.#first));
  }

  /**
   * Resolves to the state, after at most `waitMs`, of a row that another request committed. That request may still be
   * calling the processor, in any process, so this calls it only when {@link settleDue} would.
   */
  async follow(row: R, waitMs: number = ASK_WAIT_MS): Promise<R> {
    const running = this.#running.get(row.id);
    if (running) return within(waitMs, row, running);
    if (!this.isPossible || !this.#isDue(row)) return row;

    const claimed = this.#lease(row, true);
    return within(
      waitMs,
      row,
      claimed.then((mine) => (mine ? this.#run(mine, this.#again) : row)),
    );
  }

  async dueUnits(): Promise<string[]> {
    const { store, clock } = this.#parts;
    return this.isPossible ? store.read((tx) => this.rows(tx).unitsDue(clock.now())) : [];
  }

  /** Settles a few due rows of a business unit, pending or left behind by a crash. Resolves to their number. */
  async settleDue(businessUnit: string): Promise<number> {
    if (!this.isPossible) return 0;

    const { perBusinessUnit } = this.#parts.config.processor;
    return this.#runner.each<H>({
      find: (limit) => this.#due(businessUnit, limit),
      limit: perBusinessUnit,
      atOnce: perBusinessUnit,
      about: (row) => this.about(row),
      work: (row) =>
        this.#slots.run(async () => {
          const claimed = await this.#lease(row, true);
          if (claimed) await within(ASK_WAIT_MS, claimed, this.#run(claimed, this.#again));
          return claimed !== null;
        }),
    });
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  /** Calls the processor, and schedules a retry if there is no valid response. */
  protected call(call: ProcessorCall<R>): Promise<R> {
    const { row, operation, sessionId } = call;
    const { businessUnit } = row;
    const about = { businessUnit, ...this.about(row), sessionId };
    return inSpan(`processor ${operation}`, { kind: SpanKind.CLIENT, about }, (span) =>
      this.#call(call, span),
    );
  }

  async #call(call: ProcessorCall<R>, span: Span): Promise<R> {
    const { row, operation, sessionId, limitMs, send, record, onNoAnswer } = call;
    const about = { operation, ...this.about(row), sessionId };
    try {
      const answer = await withTimeout(Promise.resolve(send()), limitMs, 'processor_timeout');
      const recorded = await record(answer);
      if (recorded) {
        span.setAttributes(attributesOf({ outcome: recorded.status }));
        return recorded;
      }
      spanFailed(span, 'invalid outcome');
      this.#parts.log.error('The processor returned an invalid outcome', about);
    } catch (error) {
      spanFailed(span, nameOnly(error).name);
      this.#parts.log.warn('Processor request failed; will retry', { ...about, error: nameOnly(error) });
    }
    onNoAnswer?.();
    return this.postpone(row);
  }

  /** Schedules a retry. */
  protected async postpone(row: R): Promise<R> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    return (await store.transaction((tx) => postpone(this.rows(tx), row, now))) ?? row;
  }

  #isDue({ dueAt }: R): boolean {
    return dueAt !== undefined && dueAt <= this.#parts.clock.now();
  }

  async #due(businessUnit: string, limit: number): Promise<H[]> {
    const { store, clock } = this.#parts;
    const running = this.#running;
    const due = await this.#slots.run(() =>
      store.read((tx) => this.rows(tx).due(clock.now(), limit + running.size, businessUnit)),
    );
    return due.filter(({ id }) => !running.has(id));
  }

  /** Claims or renews the lease; null if the row is settled or another process has taken it. */
  #lease({ id }: H, claim: boolean): Promise<R | null> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    return store.transaction(async (tx) => {
      const current = await this.rows(tx).get(id);
      if (!current || current.dueAt === undefined || (claim && current.dueAt > now)) return null;
      const leased: R = { ...current, dueAt: now + CHARGE_LEASE_MS };
      await this.rows(tx).update(leased);
      return leased;
    });
  }

  /** Works on the row and renews its lease, unless this process already does. */
  #run(row: R, work: Work<R>): Promise<R> {
    const known = this.#running.get(row.id);
    if (known) return known;

    const renewal = setInterval(() => void this.#renew(row), CHARGE_LEASE_MS / 3);
    const running = work(row)
      .catch((error: unknown) => {
        this.#parts.log.error("Could not record the processor's answer; will ask again", {
          ...this.about(row),
          error: describeError(error),
        });
        return row;
      })
      .finally(() => {
        clearInterval(renewal);
        this.#running.delete(row.id);
      });
    this.#running.set(row.id, running);
    return running;
  }

  async #renew(row: R): Promise<void> {
    await this.#lease(row, false).catch((error: unknown) => {
      this.#parts.log.warn('Could not renew the lease of a call in flight', {
        ...this.about(row),
        error: describeError(error),
      });
    });
  }
}

/** Stops waiting after `waitMs`; the call continues and is still recorded. */
function within<R>(waitMs: number, row: R, call: Promise<R>): Promise<R> {
  return withTimeout(call, waitMs, LATE).catch((error: unknown) => {
    if (describeError(error).code === LATE) return row;
    throw error;
  });
}

/** Omits the processor's message, which may contain what the payer typed. */
export function nameOnly(error: unknown): { name: string; code?: string; message: string } {
  if (error instanceof ServiceError) return describeError(error);
  const { name, code } = describeError(error);
  return {
    name,
    ...(code === undefined ? {} : { code }),
    message: "The processor's message is not logged.",
  };
}

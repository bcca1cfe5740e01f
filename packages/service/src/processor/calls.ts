/**
 * Calls the processor for payments and refunds and records the outcome. Callers commit the row first, so after a crash at
 * any point, {@link ProcessorCalls.handleDue} picks it up.
 */
import { SpanKind, type Span } from '@opentelemetry/api';
import { CHARGE_LEASE_MS, postpone, type Operation, type OperationRows } from './rules/operation.js';
import { defined } from '../core/defined.js';
import { ServiceError } from '../core/error.js';
import type { Store, StoreTx, TxContext } from '../core/store.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { ItemRunner } from '../platform/item-runner.js';
import { withTimeout } from '../platform/timeouts.js';
import { describeError, type Log } from '../platform/log/log.js';
import type { LogFields } from '../platform/log/fields.js';
import type { Metrics } from '../platform/metrics.js';
import { Slots } from '../platform/slots.js';
import { attributesOf, inSpan, spanFailed } from '../platform/tracing.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import type { PaymentProcessor } from './rules/port.js';
import { add, type WaitingRequests } from './waiting.js';

/** Maximum time that a payer waits for the processor, real ms. */
export const MAX_CALL_WAIT_MS = 15_000;
const WAIT_TIMEOUT = 'wait_timeout';

export interface ProcessorCall<R extends Operation> {
  readonly row: R;
  readonly operation: 'charge' | 'lookup' | 'cancel' | 'refund';
  readonly sessionId: string;
  /** Real ms, not the service's clock. */
  readonly limitMs: number;
  /** Operators' modules might not return a promise. */
  readonly send: () => unknown;
  /** Records the response. Returns null if it is invalid. */
  readonly record: (response: unknown) => Promise<R> | null;
}

export interface ProcessorCallsParts {
  readonly publicUrl: string;
  readonly env: ServiceEnvironment;
  readonly store: Store;
  readonly clock: { now(): number };
  readonly config: Pick<ServiceConfig, 'businessUnits' | 'processor'>;
  readonly newId: TxContext['newId'];
  readonly processor: PaymentProcessor | null;
  readonly waiting: WaitingRequests;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'payment' | 'jobFailed'>;
}

/**
 * Concurrent calls that requests begin, per process and business unit. Each holds memory and a connection to the
 * processor for up to a minute. A burst that the rate limit allows fits if the processor is healthy.
 */
const MAX_CALLS = 500;

/** Makes the processor calls of payments and refunds, which the subclasses define. */
export abstract class ProcessorCalls<R extends H, H extends Operation = R> {
  protected readonly parts: ProcessorCallsParts;
  readonly #job: 'settle' | 'refund';
  readonly #runner: ItemRunner;
  readonly #running = new Map<string, Promise<R>>();
  /** For the calls of {@link handleDue}. */
  readonly #slots: Slots;
  /** Number of calls in flight that requests have begun, by business unit. */
  readonly #begun = new Map<string, number>();

  constructor(parts: ProcessorCallsParts, job: 'settle' | 'refund') {
    this.parts = parts;
    this.#job = job;
    this.#runner = new ItemRunner(parts, job);
    this.#slots = new Slots(parts.config.processor.concurrency);
  }

  /** False if the processor doesn't support these calls. Then rows don't change. */
  abstract readonly isPossible: boolean;
  protected abstract rows(tx: StoreTx): OperationRows<R, H>;
  protected abstract about(row: H): Pick<LogFields, 'sessionId' | 'paymentId'>;
  protected abstract firstCall(row: R): Promise<R>;
  protected abstract retryCall(row: R): Promise<R>;

  /**
   * Calls the processor for a row that the caller has just committed. Resolves to the row's state after at most `waitMs`,
   * real ms, or immediately if too many requests wait. The call continues in the background and is still recorded. If
   * too many calls of the business unit are in flight, leaves it to the job.
   */
  callAndWait(row: R, waitMs: number = MAX_CALL_WAIT_MS): Promise<R> {
    return this.#waitFor(this.#startForRequest(row, true), row, waitMs);
  }

  /** Like {@link callAndWait}, for a job. A job limits its own calls. */
  callInJob(row: R): Promise<R> {
    return waitAtMost(MAX_CALL_WAIT_MS, row, this.#startOrJoin(row, true));
  }

  /**
   * Like {@link callAndWait}, for a row that another request committed. That request may still be calling the processor, in
   * any process, so this calls it only if the row is due.
   */
  wait(row: R, waitMs: number = MAX_CALL_WAIT_MS): Promise<R> {
    return this.#waitFor(this.#startForRequest(row, false), row, waitMs);
  }

  /** Like {@link #startOrJoin}, but limits the calls of requests in flight. */
  async #startForRequest(row: R, isNew: boolean): Promise<R> {
    const running = this.#running.get(row.id);
    if (running) return running;

    const { businessUnit } = row;
    if ((this.#begun.get(businessUnit) ?? 0) >= MAX_CALLS) {
      // As if this process had ended after the commit: the job looks it up, and calls if it never arrived.
      if (isNew)
        this.parts.log.warn('Too many processor calls in flight; the job will make this one', {
          ...this.about(row),
          businessUnit,
        });
      return row;
    }

    add(this.#begun, businessUnit, 1);
    try {
      return await this.#startOrJoin(row, isNew);
    } finally {
      add(this.#begun, businessUnit, -1);
    }
  }

  /** Calls the processor for a new row, or a row that is due, unless this process is already calling it. */
  async #startOrJoin(row: R, isNew: boolean): Promise<R> {
    const running = this.#running.get(row.id);
    if (running) return running;
    if (!this.isPossible) return row;
    // A new row becomes due if its commit outlasts its lease. Then another process may already have called the processor.
    if (!this.#isDue(row)) return isNew ? this.#runWithLease(row, () => this.firstCall(row)) : row;

    const leased = await this.#lease(row, true);
    return leased ? this.#runWithLease(leased, () => this.retryCall(leased)) : row;
  }

  async #waitFor(call: Promise<R>, row: R, waitMs: number): Promise<R> {
    const waited = this.parts.waiting.run(row.businessUnit, () => waitAtMost(waitMs, row, call), row.id);
    // A claim can fail; the job repeats it.
    call.catch(() => undefined);
    return (await waited) ?? row;
  }

  async dueUnits(): Promise<string[]> {
    const { store, clock } = this.parts;
    return this.isPossible ? store.read((tx) => this.rows(tx).unitsDue(clock.now())) : [];
  }

  /** Settles up to `max` due rows of a business unit. Resolves to the number of rows. */
  async handleDue(
    businessUnit: string,
    max: number = this.parts.config.processor.perBusinessUnit,
  ): Promise<number> {
    if (!this.isPossible) return 0;

    return this.#runner.each<H>({
      find: (limit) => this.#due(businessUnit, limit),
      limit: max,
      concurrency: max,
      about: (row) => this.about(row),
      work: (row) =>
        this.#slots.run(businessUnit, async () => {
          const claimed = await this.#lease(row, true);
          if (claimed === null) return false;

          const retried = this.#runWithLease(claimed, () => this.retryCall(claimed));
          await waitAtMost(MAX_CALL_WAIT_MS, claimed, retried);
          return true;
        }),
    });
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  /** Calls the processor. Schedules a retry if there is no valid response. */
  protected call(call: ProcessorCall<R>): Promise<R> {
    const { row, operation, sessionId } = call;
    const { businessUnit } = row;
    const about = { businessUnit, ...this.about(row), sessionId };
    return inSpan(`processor ${operation}`, { kind: SpanKind.CLIENT, about }, (span) =>
      this.#call(call, span),
    );
  }

  async #call(call: ProcessorCall<R>, span: Span): Promise<R> {
    const { row, operation, sessionId, limitMs, send, record } = call;
    const about = { operation, ...this.about(row), sessionId };
    try {
      const response = await withTimeout(Promise.resolve(send()), limitMs, 'processor_timeout');
      const recorded = await record(response);
      if (recorded) {
        if (span.isRecording()) span.setAttributes(attributesOf({ outcome: recorded.status }));
        return recorded;
      }
      spanFailed(span, 'invalid outcome');
      this.parts.log.error('The processor returned an invalid outcome', about);
    } catch (error) {
      spanFailed(span, nameOnly(error).name);
      this.parts.log.warn('Processor request failed; will retry', { ...about, error: nameOnly(error) });
    }
    if (operation === 'charge') this.parts.metrics?.payment('unknown');
    else this.parts.metrics?.jobFailed(this.#job);
    return this.postpone(row);
  }

  protected async postpone(row: R, also?: (tx: StoreTx) => Promise<unknown>): Promise<R> {
    const { store, clock } = this.parts;
    const now = clock.now();
    const postponed = await store.transaction(async (tx) => {
      await also?.(tx);
      return postpone(this.rows(tx), row, now);
    });
    return postponed ?? row;
  }

  #isDue({ dueAt }: R): boolean {
    return dueAt !== undefined && dueAt <= this.parts.clock.now();
  }

  async #due(businessUnit: string, limit: number): Promise<H[]> {
    const { store, clock } = this.parts;
    const running = this.#running;
    const due = await this.#slots.run(businessUnit, () =>
      store.read((tx) => this.rows(tx).due(businessUnit, clock.now(), limit + running.size)),
    );
    return due.filter(({ id }) => !running.has(id));
  }

  /** Claims or renews the lease. Resolves to null if the row is settled or another process holds the lease. */
  #lease({ id }: H, claim: boolean): Promise<R | null> {
    const { store, clock } = this.parts;
    const now = clock.now();
    return store.transaction(async (tx) => {
      const current = await this.rows(tx).get(id);
      if (!current || current.dueAt === undefined || (claim && current.dueAt > now)) return null;
      const leased: R = { ...current, dueAt: now + CHARGE_LEASE_MS };
      await this.rows(tx).update(leased);
      return leased;
    });
  }

  /** Works on the row while renewing its lease. Joins work that is already running in this process. */
  #runWithLease(row: R, work: () => Promise<R>): Promise<R> {
    const current = this.#running.get(row.id);
    if (current) return current;

    const renewal = setInterval(() => void this.#renew(row), CHARGE_LEASE_MS / 3);
    const running = work()
      .catch((error: unknown) => {
        this.parts.log.error("Could not record the processor's response; will look it up", {
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
      this.parts.log.warn('Could not renew the lease of a call in flight', {
        ...this.about(row),
        error: describeError(error),
      });
    });
  }
}

/** Stops waiting after `waitMs`. The call continues and is still recorded. */
function waitAtMost<R>(waitMs: number, row: R, call: Promise<R>): Promise<R> {
  return withTimeout(call, waitMs, WAIT_TIMEOUT).catch((error: unknown) => {
    if (describeError(error).code === WAIT_TIMEOUT) return row;
    throw error;
  });
}

/** Omits the processor's message, which may contain the payer's input. */
export function nameOnly(error: unknown): { name: string; code?: string; message: string } {
  if (error instanceof ServiceError) return describeError(error);
  const { name, code } = describeError(error);
  return { name, ...defined({ code }), message: "The processor's message is not logged." };
}

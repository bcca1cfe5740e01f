/**
 * Deletes the tokens of removed methods and of unsaved sources at the processor. Calls it outside of transactions,
 * and repeats the call if it fails or the process dies, so `forget` must be idempotent.
 */
import { defined } from '../core/defined.js';
import { contextOf } from './context.js';
import type { Attempt } from './rules/attempt.js';
import { forgotten, isUnsaved } from './rules/forget.js';
import type { StoreTx } from '../core/store.js';
import type { Deps } from '../deps.js';
import { ItemRunner } from '../platform/item-runner.js';
import { Slots } from '../platform/slots.js';
import { inChunks } from '../platform/databases/records.js';
import { withTimeout } from '../platform/timeouts.js';
import { nameOnly } from '../processor/calls.js';
import { FORGET_MS, processorContext, type ProcessorContext } from '../processor/rules/port.js';
import { remainderOf, type Method } from '../wallet/rules.js';

type Parts = Pick<Deps, 'env' | 'store' | 'clock' | 'processor' | 'config' | 'log' | 'metrics'>;

const BATCH_SIZE = 100;

/**
 * Attempts recorded per transaction. Batched, because every payment comes here; larger batches would often conflict
 * with refunds.
 */
const RECORD_BATCH_SIZE = 10;

/** Retry delay while a charge of the method has no outcome, ms. */
const RETRY_WHILE_CHARGING_MS = 60_000;

/** First and longest retry delay after a failure, ms. In between, the delay is the age of the item. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 3_600_000;

const retryAt = (since: number, now: number): number =>
  now + Math.min(Math.max(now - since, FIRST_RETRY_MS), MAX_RETRY_MS);

/** A processor that is slow for one business unit doesn't delay another. */
export class Forgetting {
  readonly #parts: Parts;
  readonly #runner: ItemRunner;
  readonly #slots: Slots;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#runner = new ItemRunner(parts, 'forget');
    this.#slots = new Slots(parts.config.processor.concurrency);
  }

  async dueUnits(): Promise<string[]> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const units = await store.read((tx) =>
      Promise.all([tx.attempts.unitsToForget(now), tx.methods.unitsToForget(now)]),
    );
    return [...new Set(units.flat())];
  }

  /** Resolves to the number of payments and methods processed. */
  async handleDue(businessUnit: string): Promise<number> {
    return (await this.#forgetAttempts(businessUnit)) + (await this.#forgetMethods(businessUnit));
  }

  #forgetMethods(businessUnit: string): Promise<number> {
    const { store, clock, config } = this.#parts;
    return this.#runner.each({
      find: (limit) => store.read((tx) => tx.methods.toForget(businessUnit, clock.now(), limit)),
      limit: BATCH_SIZE,
      concurrency: config.processor.perBusinessUnit,
      about: () => ({ businessUnit }),
      work: (method) => this.#slots.run(businessUnit, () => forgetMethod(this.#parts, method)),
      postpone: ({ id }) =>
        store.transaction(async (tx) => {
          const method = await tx.methods.get(id);
          if (method?.forgetAt === undefined) return;

          const { token, replaced, removedAt, createdAt } = method;
          // Of a removed method, only the tokens are still needed.
          const kept = removedAt === undefined ? method : { ...remainderOf(method), token };
          const forgetAt = retryAt(removedAt ?? createdAt, clock.now());
          await tx.methods.update({ ...kept, ...defined({ replaced }), forgetAt });
        }),
    });
  }

  /** Resolves to 0 if some were not recorded, because they would be found again immediately. */
  async #forgetAttempts(businessUnit: string): Promise<number> {
    const { store, clock, config } = this.#parts;
    const ids: string[] = [];
    let recorded = 0;
    const count = await this.#runner.each({
      find: (limit) => store.read((tx) => tx.attempts.toForget(businessUnit, clock.now(), limit)),
      limit: BATCH_SIZE,
      concurrency: config.processor.perBusinessUnit,
      about: ({ id, sessionId }) => ({ paymentId: id, businessUnit, sessionId }),
      work: async (attempt) => {
        await this.#forgetSource(attempt);
        ids.push(attempt.id);
        return true;
      },
      postpone: ({ id }) =>
        store.transaction(async (tx) => {
          const attempt = await tx.attempts.get(id);
          if (attempt?.forgetAt === undefined) return;
          const now = clock.now();
          const { source, ...rest } = forgotten(attempt, now);
          const { token } = attempt.source;
          const forgetAt = retryAt(attempt.createdAt, now);
          await tx.attempts.update({ ...rest, source: { ...source, token }, forgetAt });
        }),
    });
    await this.#runner.each({
      find: async () => inChunks(ids, RECORD_BATCH_SIZE).map((chunk) => ({ id: chunk[0] ?? '', chunk })),
      limit: BATCH_SIZE,
      about: ({ id }) => ({ paymentId: id }),
      work: async ({ chunk }) => {
        await store.transaction((tx) => recordForgotten(tx, chunk, clock.now()));
        recorded += chunk.length;
        return true;
      },
    });
    return recorded === ids.length ? count : 0;
  }

  async #forgetSource(attempt: Attempt): Promise<void> {
    if (!isUnsaved(attempt) || !this.#parts.processor?.forget) return;

    await this.#slots.run(attempt.businessUnit, async () =>
      forgetToken(this.#parts, attempt.source.token, await contextOf(attempt, this.#parts)),
    );
  }
}

async function recordForgotten(tx: StoreTx, ids: readonly string[], now: number): Promise<void> {
  const attempts = await Promise.all(ids.map((id) => tx.attempts.get(id)));
  for (const attempt of attempts) if (attempt) await tx.attempts.update(forgotten(attempt, now));
}

async function forgetMethod(parts: Parts, method: Method): Promise<boolean> {
  const { env, store, clock } = parts;
  if (await store.read((tx) => tx.attempts.isCharging(method.id))) {
    await update((current) => ({ ...current, forgetAt: clock.now() + RETRY_WHILE_CHARGING_MS }));
    return true;
  }

  const { replaced = [], token, removedAt } = method;
  const tokens = removedAt === undefined ? replaced : [...replaced, token];
  const context = processorContext({
    businessUnit: method.businessUnit,
    method: method.method,
    environment: env,
    channel: 'QuickPay',
    initiator: 'payer',
  });
  for (const each of tokens) await forgetToken(parts, each, context);
  await update((current) => {
    if (current.removedAt !== undefined && tokens.includes(current.token)) return remainderOf(current);

    // It may have been removed or entered again meanwhile.
    const { replaced: known = [], forgetAt: _, ...rest } = current;
    const remaining = known.filter((each) => !tokens.includes(each));
    const isDone = remaining.length === 0 && current.removedAt === undefined;
    return isDone ? rest : { ...rest, replaced: remaining, forgetAt: clock.now() };
  });
  return true;

  async function update(change: (current: Method) => Method): Promise<void> {
    await store.transaction(async (tx) => {
      const current = await tx.methods.get(method.id);
      if (current) await tx.methods.update(change(current));
    });
  }
}

async function forgetToken({ processor }: Parts, token: string, context: ProcessorContext): Promise<void> {
  if (token === '' || !processor?.forget) return;

  try {
    // Operators' modules might not return a promise.
    const forgotten = Promise.resolve(processor.forget(token, context));
    await withTimeout(forgotten, FORGET_MS, 'forget');
  } catch (error) {
    throw Object.assign(new Error(), nameOnly(error));
  }
}

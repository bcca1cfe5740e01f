/**
 * Deletes the tokens of removed methods and of unsaved sources at the processor. Calls it outside of transactions,
 * and repeats the call if it fails or the process dies, so `forget` must be idempotent.
 */
import { contextOf } from './context.js';
import { forgotten, isUnsaved } from './rules/forget.js';
import type { StoreTx } from '../core/store.js';
import type { Deps } from '../deps.js';
import type { ItemRunner } from '../platform/item-runner.js';
import { inChunks } from '../platform/databases/rows.js';
import { withTimeout } from '../platform/timeouts.js';
import { FORGET_MS, processorContext, type ProcessorContext } from '../processor/rules/port.js';
import { remainderOf, type Method } from '../wallet/rules.js';

type Parts = Pick<Deps, 'env' | 'store' | 'clock' | 'processor'>;

const BATCH_SIZE = 100;

/** Retry delay while a charge of the method has no outcome, ms. */
const RETRY_WHILE_CHARGING_MS = 60_000;

export async function forgetDue(parts: Parts, runner: ItemRunner, signal: AbortSignal): Promise<void> {
  const { store, clock } = parts;
  const repeat = async (round: () => Promise<number>): Promise<void> => {
    while (!signal.aborted && (await round()) === BATCH_SIZE);
  };
  await repeat(() => forgetAttempts(parts, runner));
  await repeat(() =>
    runner.each({
      find: (limit) => store.read((tx) => tx.methods.toForget(clock.now(), limit)),
      limit: BATCH_SIZE,
      about: ({ businessUnit }) => ({ businessUnit }),
      work: (method) => forgetMethod(parts, method),
    }),
  );
}

/** Every payment comes here, so a few share a transaction. More would often conflict with refunds. */
const RECORDED_TOGETHER = 10;

/** Resolves to the number of payments processed; 0 if some were not recorded, because they would be found again at once. */
async function forgetAttempts(parts: Parts, runner: ItemRunner): Promise<number> {
  const { env, store, clock, processor } = parts;
  const ids: string[] = [];
  let recorded = 0;
  const count = await runner.each({
    find: (limit) => store.read((tx) => tx.attempts.toForget(clock.now(), limit)),
    limit: BATCH_SIZE,
    about: ({ id, businessUnit, sessionId }) => ({ paymentId: id, businessUnit, sessionId }),
    work: async (attempt) => {
      if (isUnsaved(attempt) && processor?.forget)
        await forgetTokens(parts, [attempt.source.token], await contextOf(attempt, { env, store }));
      ids.push(attempt.id);
      return true;
    },
  });
  await runner.each({
    find: async () => inChunks(ids, RECORDED_TOGETHER).map((chunk) => ({ id: chunk[0] ?? '', chunk })),
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

async function recordForgotten(tx: StoreTx, ids: readonly string[], now: number): Promise<void> {
  const attempts = await Promise.all(ids.map((id) => tx.attempts.get(id)));
  for (const attempt of attempts) if (attempt) await tx.attempts.update(forgotten(attempt, now));
}

async function forgetMethod(parts: Parts, method: Method): Promise<boolean> {
  const { env, store, clock } = parts;
  const isRemoved = method.removedAt !== undefined;
  if (await store.read((tx) => tx.attempts.isCharging(method.id))) {
    await update((current) => ({ ...current, forgetAt: clock.now() + RETRY_WHILE_CHARGING_MS }));
    return true;
  }

  const { replaced = [] } = method;
  const context = processorContext({
    businessUnit: method.businessUnit,
    method: method.method,
    environment: env,
    channel: 'QuickPay',
    initiator: 'payer',
    descriptor: undefined,
    sessionId: undefined,
    traceparent: undefined,
    email: undefined,
    device: undefined,
  });
  await forgetTokens(parts, isRemoved ? [...replaced, method.token] : replaced, context);
  await update((current) => {
    if (isRemoved) return remainderOf(current);
    const { replaced: tokens = [], forgetAt: _, ...rest } = current;
    const remaining = tokens.filter((token) => !replaced.includes(token));
    return remaining.length === 0 ? rest : { ...rest, replaced: remaining, forgetAt: clock.now() };
  });
  return true;

  async function update(change: (current: Method) => Method): Promise<void> {
    await store.transaction(async (tx) => {
      const current = await tx.methods.get(method.id);
      if (current) await tx.methods.update(change(current));
    });
  }
}

async function forgetTokens(
  { processor }: Parts,
  tokens: readonly string[],
  context: ProcessorContext,
): Promise<void> {
  for (const token of tokens)
    if (token !== '' && processor?.forget)
      await withTimeout(processor.forget(token, context), FORGET_MS, 'forget');
}

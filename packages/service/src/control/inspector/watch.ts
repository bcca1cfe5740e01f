/** Wraps store and processor to record their activity in the journal. Only used with an inspector. */
import { defined } from '../../core/defined.js';
import type {
  Charge,
  PaymentProcessor,
  PaymentSource,
  ProcessorContext,
  Refund,
} from '../../processor/rules/port.js';
import type { Store, StoreTx } from '../../core/store.js';
import { describeError } from '../../platform/log/log.js';
import type { Journal } from './journal.js';
import { HIDDEN, type Redaction } from './redaction.js';
import { AREAS, changeOf, dollars, eventOf, type Written } from './records.js';

/** Records the writes of a transaction after its commit. */
export function watchStore(store: Store, journal: Journal): Store {
  return {
    ...store,
    transaction: async (work, options) => {
      let written: Written[] = [];
      const result = await store.transaction(async (tx, repeated) => {
        const writing: Promise<unknown>[] = [];
        written = [];
        const result = await work(watchTx(tx, written, writing), repeated);
        // `work` may not await a write, but this wrapper sends it only after reading the row.
        await Promise.allSettled(writing);
        return result;
      }, options);
      journal.changed(written.map(changeOf).filter((change) => change !== null));
      for (const event of written.map(eventOf)) if (event !== null) journal.add(event);
      return result;
    },
  };
}

type Row = Readonly<Record<string, unknown>>;
type Repository = Readonly<Record<string, (row: unknown, ...more: unknown[]) => Promise<unknown>>>;
const WRITES = ['insert', 'update', 'updateLeased'];

function watchTx(tx: StoreTx, written: Written[], writing: Promise<unknown>[]): StoreTx {
  const watched: Partial<Record<keyof StoreTx, unknown>> = { ...tx };
  for (const area of Object.keys(AREAS) as (keyof StoreTx)[]) {
    const repository = tx[area] as unknown as Repository;
    const write = async (action: string, row: Row, more: unknown[]): Promise<unknown> => {
      const before = action === 'insert' ? null : (((await repository['get']?.(row['id'])) ?? {}) as Row);
      const result = await repository[action]?.(row, ...more);
      if (result !== false) written.push({ area, before, after: row });
      return result;
    };
    const watchedWrite =
      (action: string) =>
      (row: Row, ...more: unknown[]) => {
        const result = write(action, row, more);
        writing.push(result);
        return result;
      };
    const writes = WRITES.map((action) => [action, watchedWrite(action)] as const);
    watched[area] = { ...repository, ...Object.fromEntries(writes) };
  }
  return watched as StoreTx;
}

/** Fields of a response to show. Never the token. */
const SHOWN_FIELDS = ['outcome', 'reason', 'reference', 'brand', 'last4'] as const;

/** Distinguishes outcomes from tokens. */
const OUTCOME = /^[a-z_]{1,20}$/;

const CALLS: Readonly<
  Record<string, (...given: never[]) => readonly [title: string, context: ProcessorContext]>
> = {
  tokenize: ({ method }: PaymentSource, context: ProcessorContext) => [
    `tokenize ${method === 'ACH' ? 'a bank account' : 'a card'}`,
    context,
  ],
  charge: ({ amount, context }: Charge) => [`charge ${dollars(amount)}`, context],
  lookup: (attemptId: string, context: ProcessorContext) => [`look up ${attemptId}`, context],
  cancel: (attemptId: string, context: ProcessorContext) => [`cancel ${attemptId}`, context],
  refund: ({ amount, context }: Refund) => [`refund ${dollars(amount)}`, context],
  updateExpiry: (_token, _expiry, context: ProcessorContext) => ['change an expiry date', context],
};

export function watchProcessor(
  processor: PaymentProcessor,
  journal: Pick<Journal, 'add' | 'redact'>,
): PaymentProcessor {
  const watch = async (
    title: string,
    sessionId: string | undefined,
    work: () => unknown,
  ): Promise<unknown> => {
    const add = (title: string, level: 'info' | 'error'): void =>
      journal.add({ kind: 'processor', level, title, ...defined({ sessionId }) });
    add(`Processor call: ${title}`, 'info');
    try {
      const answer = await work();
      add(`Processor response to ${title}: ${described(answer, journal.redact)}`, 'info');
      return answer;
    } catch (error) {
      add(`Processor failed to ${title}: ${describeError(error).name}`, 'error');
      throw error;
    }
  };
  return new Proxy(processor, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;

      const describe = CALLS[String(name)];
      return (...args: never[]): unknown => {
        const work = (): unknown => Reflect.apply(member, target, args);
        if (!describe) return work();
        const [title, { sessionId }] = describe(...args);
        return watch(title, sessionId, work);
      };
    },
  });
}

function described(answer: unknown, redact: Redaction): string {
  return typeof answer === 'string'
    ? (OUTCOME.exec(answer)?.[0] ?? HIDDEN)
    : SHOWN_FIELDS.flatMap((name) => textOf(answer, name, redact)).join(' ');
}

function textOf(answer: unknown, name: (typeof SHOWN_FIELDS)[number], redact: Redaction): string[] {
  const value = (answer as Partial<Record<string, unknown>> | null)?.[name];
  if (typeof value !== 'string') return [];
  return [redact.text(value)];
}

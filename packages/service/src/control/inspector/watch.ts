/** Wraps store and processor to record their activity in the journal. Only used with an inspector. */
import { defined } from '../../core/defined.js';
import type { PaymentProcessor } from '../../processor/rules/port.js';
import type { Store, StoreTx } from '../../core/store.js';
import { describeError } from '../../platform/log/log.js';
import type { Journal, NewEvent } from './journal.js';
import { AREAS, changeOf, eventOf, type Row, type Written } from './records.js';

/** Records the writes of a transaction after its commit. */
export function watchStore(store: Store, journal: Journal): Store {
  return {
    ...store,
    transaction: async (work, options) => {
      let writes: Promise<Written | null>[] = [];
      const result = await store.transaction((tx, repeated) => {
        writes = [];
        return work(watchTx(tx, writes), repeated);
      }, options);
      const written = (await Promise.all(writes)).filter((each) => each !== null);
      journal.changed(written.map(changeOf).filter((change) => change !== null));
      for (const each of written) journal.add(eventOf(each));
      return result;
    },
  };
}

type Repository = Readonly<Record<string, (row: unknown, ...more: unknown[]) => Promise<unknown>>>;

function watchTx(tx: StoreTx, writes: Promise<Written | null>[]): StoreTx {
  const watched: Partial<Record<keyof StoreTx, unknown>> = { ...tx };
  for (const area of Object.keys(AREAS) as Written['area'][]) {
    const repository = tx[area] as unknown as Repository;
    const watch = (action: string) => [
      action,
      (after: Row, ...more: unknown[]) => {
        // The connection reads the row before it writes it.
        const read = action === 'insert' ? null : repository['get']?.(after['id']);
        const write = repository[action]?.(after, ...more);
        writes.push(
          Promise.all([read, write]).then(
            ([before, result]) =>
              result === false ? null : { area, before: (before ?? null) as Row | null, after },
            () => null,
          ),
        );
        return write;
      },
    ];
    const watchedWrites = Object.fromEntries(['insert', 'update', 'updateLeased'].map(watch)) as Repository;
    watched[area] = { ...repository, ...watchedWrites };
  }
  return watched as StoreTx;
}

export function watchProcessor(processor: PaymentProcessor, journal: Pick<Journal, 'add'>): PaymentProcessor {
  return new Proxy(processor, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;

      return async (...args: unknown[]): Promise<unknown> => {
        const add = (level: NewEvent['level'], title: string): void =>
          journal.add({ kind: 'processor', level, title, ...defined({ sessionId: sessionIn(args) }) });
        add('info', `Processor call: ${String(name)}`);
        try {
          const answer: unknown = await Reflect.apply(member, target, args);
          add('info', `Processor response to ${String(name)}: ${described(answer)}`);
          return answer;
        } catch (error) {
          add('error', `Processor failed to ${String(name)}: ${describeError(error).name}`);
          throw error;
        }
      };
    },
  });
}

/** The context is an argument, or part of one. */
function sessionIn(args: readonly unknown[]): string | undefined {
  const contexts = args.map((arg) => Object(Object(arg).context ?? arg) as { sessionId?: string });
  return contexts.find(({ sessionId }) => sessionId !== undefined)?.sessionId;
}

/** Never shows the token. */
function described(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  const { outcome, reason, reference, brand, last4 } = Object(answer) as Record<string, unknown>;
  return [outcome, reason, reference, brand, last4].filter((part) => typeof part === 'string').join(' ');
}

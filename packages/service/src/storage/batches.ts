/**
 * What asks one connection for a transaction while others wait shares theirs: one begin, one commit, one sync of the
 * disk for all that came in one turn of the event loop, where each by itself would cost more than what it writes.
 */
import { setImmediate } from 'node:timers';
import type { TransactionOptions } from './connect.js';

type Mode = TransactionOptions['mode'];

/** The statements that hold a transaction together. */
export interface Transactions {
  begin(mode: Mode): void;
  commit(): void;
  rollback(): void;
  /** Whether one is open: an error may have ended it. */
  readonly isOpen: boolean;
  /** Around the work of one of several. */
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
}

export interface Batches {
  /** Runs `work` in a transaction, which others may share before and after it; resolves when that is committed. */
  transaction<T>(mode: Mode, work: () => Promise<T>): Promise<T>;
  /** Runs `work` while no transaction is open. */
  between<T>(work: () => Promise<T>): Promise<T>;
}

interface Turn {
  readonly mode: Mode | 'between';
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Others are heard after so many, which take a few milliseconds. */
const MOST_TOGETHER = 32;

export function batches(transactions: Transactions): Batches {
  const waiting: Turn[] = [];
  let awake = false;

  const wait = <T>(mode: Turn['mode'], work: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ mode, work, resolve: resolve as Turn['resolve'], reject });
      if (awake) return;
      awake = true;
      // Behind whatever else has arrived by now.
      setImmediate(() => void wake());
    });

  const wake = async (): Promise<void> => {
    const [first] = waiting;
    const alone = first?.mode === 'between' || first?.mode === 'migration';
    const other = waiting.findIndex(({ mode }) => mode !== first?.mode);
    const most = alone ? 1 : MOST_TOGETHER;
    const batch = waiting.splice(0, Math.min(most, other < 0 ? most : other));
    if (first?.mode === 'between') await first.work().then(first.resolve, first.reject);
    else await together(first?.mode ?? 'read', batch);
    awake = waiting.length > 0;
    if (awake) setImmediate(() => void wake());
  };

  /** Nobody hears what became of their work before it is committed: it may rest on what another of them wrote. */
  const together = async (mode: Mode, batch: readonly Turn[]): Promise<void> => {
    const tell: (() => void)[] = [];
    try {
      transactions.begin(mode);
      const parted = mode !== 'read' && batch.length > 1;
      for (const { work, resolve, reject } of batch) {
        if (parted) transactions.savepoint();
        try {
          const value = await work();
          if (parted) transactions.release();
          tell.push(() => resolve(value));
        } catch (error) {
          if (batch.length === 1 || !transactions.isOpen) throw error;
          if (parted) transactions.rollbackToSavepoint();
          tell.push(() => reject(error));
        }
      }
      transactions.commit();
    } catch (error) {
      if (transactions.isOpen) transactions.rollback();
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const told of tell) told();
  };

  return {
    transaction: (mode, work) => wait(mode, work),
    between: (work) => wait('between', work),
  };
}

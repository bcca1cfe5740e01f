/**
 * What asks one connection for a transaction while others wait shares theirs: one begin, one commit, one sync of the
 * disk for all that came meanwhile, where each by itself would cost more than what it writes.
 */
import { setImmediate } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import type { TransactionOptions } from './connect.js';

type Mode = TransactionOptions['mode'];

/** The statements that hold a transaction together. */
export interface Transactions {
  begin(mode: Mode): void;
  commit(): void;
  rollback(): void;
  /** Whether one is open: an error may have ended it. */
  readonly isOpen: boolean;
  /** How many statements that write there were so far. */
  readonly written: number;
  /** Around the work of one of several. */
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
  /** The sync of the disk that runs; what commits during it waits for the next one, so it may as well begin later. */
  syncing(): Promise<void> | null;
  /**
   * How far apart transactions that several share begin at least, ms: what each costs by itself, a sync of the disk above
   * all, is then shared by more of them.
   */
  readonly apartMs: number;
}

export interface Batches {
  /** Runs `work` in a transaction, which others may share before and after it; resolves when that is committed. */
  readonly transaction: <T>(mode: Mode, work: () => Promise<T>) => Promise<T>;
  /** Runs `work` while no transaction is open. */
  readonly between: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Turn {
  readonly mode: Mode | 'between';
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Others are heard after so many, which take a few milliseconds. */
const MOST_TOGETHER = 32;

/** Fewer than so many at once are not kept waiting for others. */
const SEVERAL = 4;

export function batches(transactions: Transactions): Batches {
  const reads: Turn[] = [];
  const writes: Turn[] = [];
  let isDue = false;
  let running = false;
  /** Of the last transaction that wrote. */
  let sharedBy = 0;
  let begunAt = -Infinity;
  let apart: Promise<void> | null = null;

  const wait = <T>(mode: Turn['mode'], work: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      (mode === 'read' ? reads : writes).push({ mode, work, resolve: resolve as Turn['resolve'], reject });
      schedule();
    });

  const schedule = (): void => {
    if (isDue || running) return;
    isDue = true;
    // Behind whatever else has arrived by now.
    setImmediate(() => void wake());
  };

  const wake = async (): Promise<void> => {
    isDue = false;
    running = true;
    if (reads.length > 0) await together('read', reads.splice(0, MOST_TOGETHER));
    if (writes.length > 0 && held() === null) await write();
    running = false;
    if (reads.length > 0) schedule();
    else if (writes.length > 0) void (held() ?? Promise.resolve()).then(schedule);
  };

  /** What writes wait for before they begin. */
  const held = (): Promise<void> | null => {
    const syncing = transactions.syncing();
    if (syncing !== null || sharedBy < SEVERAL || writes.length >= MOST_TOGETHER) return syncing;
    const left = begunAt + transactions.apartMs - performance.now();
    return left > 0 ? (apart ??= delay(left).then(() => void (apart = null))) : null;
  };

  const write = async (): Promise<void> => {
    const other = writes.findIndex(({ mode }) => mode !== 'write');
    const most = Math.min(MOST_TOGETHER, other < 0 ? writes.length : Math.max(1, other));
    const batch = writes.splice(0, most);
    sharedBy = batch.length;
    begunAt = performance.now();
    const [{ mode, work, resolve, reject }] = batch as [Turn];
    if (mode === 'between') await work().then(resolve, reject);
    else await together(mode, batch);
  };

  const endOpen = (): void => {
    if (transactions.isOpen) transactions.rollback();
  };

  /** Nobody hears what became of their work before it is committed: it may rest on what another of them wrote. */
  const together = async (mode: Mode, batch: readonly Turn[], parted = false): Promise<void> => {
    const tell: (() => void)[] = [];
    try {
      endOpen();
      transactions.begin(mode);
      for (const { work, resolve, reject } of batch) {
        const before = transactions.written;
        if (parted) transactions.savepoint();
        try {
          const value = await work();
          if (parted) transactions.release();
          tell.push(() => resolve(value));
        } catch (error) {
          if (batch.length === 1 || !transactions.isOpen) throw error;
          // A savepoint around each would be paid by every one, and few fail once they have written: all is done again then.
          if (!parted && transactions.written > before) return await together(mode, batch, true);
          if (parted) transactions.rollbackToSavepoint();
          tell.push(() => reject(error));
        }
      }
      transactions.commit();
    } catch (error) {
      try {
        endOpen();
      } catch {
        // Whoever comes next tries it again, and is told where that fails too.
      }
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

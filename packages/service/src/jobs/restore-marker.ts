/**
 * Detects a restored backup (decision 0072). The database counts minutes, and a file outside it keeps a copy of the
 * count. If the database is behind the file, this machine has seen a newer one: hold all jobs. A database of release
 * 0.3, which didn't count, is behind any file with a count.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Store, StoreTx } from '../core/store.js';
import { describeError, type Log } from '../platform/log/log.js';

const NAME = 'jobs-held';

export async function areJobsHeld(tx: StoreTx): Promise<boolean> {
  return (await tx.meta.get(NAME)) === 'yes';
}

/** A position in the database's history. A resumed database begins a new history. */
interface Mark {
  readonly history: string;
  readonly count: number;
}

const BEAT_MS = 60_000;

export class RestoreMarker {
  readonly #file: string;
  readonly #log: Pick<Log, 'warn'>;
  readonly #beatMs: number;
  #beatAt = -Infinity;
  #last: Mark | undefined;
  /** Counts in the file at the last beat, by history. */
  #seen: ReadonlyMap<string, number> = new Map();
  #hasWarned = false;

  constructor(file: string, log: Pick<Log, 'warn'>, beatMs: number = BEAT_MS) {
    this.#file = file;
    this.#log = log;
    this.#beatMs = beatMs;
  }

  /**
   * Counts, or holds the jobs if the database is behind the file. Resolves to whether jobs are held. Runs once a
   * minute, or sooner if `stored`, the mark just read, is missing or behind: the database may be replaced under a
   * running process.
   */
  async beat(store: Store, stored: string | null): Promise<boolean> {
    const isEarly = performance.now() - this.#beatAt < this.#beatMs;
    if (isEarly && stored !== null && !isBehind(parseMark(stored), this.#seen)) return false;

    const seen = this.#read();
    const now = await store.transaction((tx) => count(tx, seen));
    this.#beatAt = performance.now();
    this.#seen = seen;
    if (now === null) return true;

    const last = this.#last;
    this.#last = now;
    // The file stores only what the database still has a minute later, so a failover that loses the last second doesn't
    // look like a restored backup.
    const isKept = last?.history === now.history && last.count < now.count;
    if (isKept && last.count > (seen.get(last.history) ?? 0)) {
      this.#seen = new Map([...seen, [last.history, last.count]]);
      this.#write(this.#seen);
    }
    return false;
  }

  #read(): Map<string, number> {
    try {
      const lines = readFileSync(this.#file, 'utf8').matchAll(/^([\w-]+) (\d+)$/gm);
      return new Map([...lines].map(([, history = '', count]) => [history, Number(count)]));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#warn(error);
      return new Map();
    }
  }

  #write(marks: ReadonlyMap<string, number>): void {
    const own = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(own, [...marks].map(([history, count]) => `${history} ${count}\n`).join(''));
      renameSync(own, this.#file);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn('The restore marker cannot be read or written: a restored backup may go unnoticed', {
      error: describeError(error),
    });
  }
}

/** Resolves to the new mark, or to null if the database is restored. */
async function count(tx: StoreTx, seen: ReadonlyMap<string, number>): Promise<Mark | null> {
  const stored = await tx.meta.get('restore-mark');
  const before = stored === null ? newMark() : parseMark(stored);
  const isRestored =
    stored === null ? seen.size > 0 && (await tx.sessions.stored('', 1)).length > 0 : isBehind(before, seen);
  if (isRestored) {
    await tx.meta.set(NAME, 'yes');
    return null;
  }

  const now = { ...before, count: before.count + 1 };
  await writeMark(tx, now);
  return now;
}

/** Starts a new history, so that no file is ahead of the database. Resolves to false if no jobs were held. */
export async function resumeJobs(tx: StoreTx): Promise<boolean> {
  if (!(await areJobsHeld(tx))) return false;

  await tx.meta.set(NAME, 'no');
  await writeMark(tx, newMark());
  return true;
}

const parseMark = (stored: string): Mark => JSON.parse(stored) as Mark;

function isBehind({ history, count }: Mark, seen: ReadonlyMap<string, number>): boolean {
  return count < (seen.get(history) ?? 0);
}

async function writeMark(tx: StoreTx, mark: Mark): Promise<void> {
  await tx.meta.set('restore-mark', JSON.stringify(mark));
}

const newMark = (): Mark => ({ history: randomUUID(), count: 0 });

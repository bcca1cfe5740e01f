/**
 * Writes log lines to stderr. A full disk or a hanging reader loses lines but never blocks the service. Not
 * sonic-boom: its `flushSync` retries a full disk forever, so the process would never exit.
 */
import { write, writeSync } from 'node:fs';
import type { LogDestination } from './log.js';

const STDERR = 2;
/** Maximum buffered characters. Further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
/** Retry delay for a full pipe, ms. */
const RETRY_MS = 100;
/** A write counts as stuck after this time, ms. */
const STUCK_MS = 1_000;
/** Batch lines for this long, ms, because writing many costs the same as writing one. */
const BATCH_MS = 20;

/** Writes in the background, one batch at a time. Flushes the rest when the process exits. */
export function toStderr(): LogDestination {
  let waiting: string[] = [];
  let length = 0;
  let since: number | undefined;

  const next = (): void => {
    const lines = Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
    since = performance.now();
    put(lines);
  };
  const nextBatch = (): void => void setTimeout(next, BATCH_MS).unref();
  const put = (lines: Buffer): void =>
    write(STDERR, lines, (error, written) => {
      const left = lines.subarray(error ? 0 : written);
      if (error?.code === 'EAGAIN') setTimeout(put, RETRY_MS, left).unref();
      else if (!error && left.length > 0) put(left);
      else {
        // If it fails, the batch is lost, and there is nowhere to report it.
        since = undefined;
        if (waiting.length > 0) nextBatch();
      }
    });

  process.once('exit', () => {
    if (since !== undefined && performance.now() - since > STUCK_MS) return;

    try {
      writeSync(STDERR, waiting.join(''));
    } catch {
      // The process is exiting, so there is nowhere to report it.
    }
  });

  return {
    write: (line) => {
      if (length + line.length > MAX_WAITING) return;
      waiting.push(line);
      length += line.length;
      if (since === undefined && waiting.length === 1) nextBatch();
    },
  };
}

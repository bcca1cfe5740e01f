/** Where log lines go. A full disk or a reader that hangs loses lines, and holds up nothing else. */
import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const STDERR = 2;
/** What waits to be written, characters; more than that is lost. */
const MOST_WAITING = 1024 * 1024;
/** A pipe that is full is tried again after so long, ms. */
const AGAIN_MS = 100;
/** A write that takes longer than this will not end by itself, ms. */
const STUCK_MS = 1_000;
/** Lines wait so long for others, ms: one write of many costs what one of a single line does. */
const TOGETHER_MS = 10;

/** Written in the background, a batch at a time; what still waits when the process ends is written then. */
export function toStderr(): DestinationStream {
  let waiting: string[] = [];
  let length = 0;
  /** Since when something is being written. */
  let since: number | undefined;

  const next = (): void => {
    const lines = Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
    since = performance.now();
    put(lines);
  };
  const begin = (): void => {
    if (since === undefined && waiting.length > 0) next();
  };
  const put = (lines: Buffer): void =>
    write(STDERR, lines, (error, written) => {
      const left = lines.subarray(error ? 0 : written);
      if (error?.code === 'EAGAIN') setTimeout(put, AGAIN_MS, left).unref();
      else if (!error && left.length > 0) put(left);
      else {
        // Lost, where there was an error: it cannot be told, and the next may have more luck.
        since = undefined;
        if (waiting.length > 0) next();
      }
    });

  process.once('exit', () => {
    if (since !== undefined && performance.now() - since > STUCK_MS) return;
    try {
      writeSync(STDERR, waiting.join(''));
    } catch {
      // Nobody is left who could be told.
    }
  });

  return {
    write: (line) => {
      if (length + line.length > MOST_WAITING) return;
      waiting.push(line);
      length += line.length;
      if (since === undefined && waiting.length === 1) setTimeout(begin, TOGETHER_MS).unref();
    },
  };
}

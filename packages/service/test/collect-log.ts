import { createLog, type Log } from '../src/platform/log/log.js';

export type LogLine = Record<string, unknown> & { readonly msg: string };

/** A log that collects lines, with the fields of the request or job that wrote them. */
export function collectLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { log: createLog({ write: (line) => void lines.push(JSON.parse(line) as LogLine) }), lines };
}

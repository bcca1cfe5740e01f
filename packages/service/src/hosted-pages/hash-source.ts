import { createHash } from 'node:crypto';

/** A Content-Security-Policy source that allows this inline text. */
export function hashSource(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

import { createHash } from 'node:crypto';

/** A source of a Content-Security-Policy that allows this very text inline. */
export function hashSource(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

import { hash } from 'node:crypto';

/** `sha256:<hex>` of a key: all that is ever kept of it. */
export function hashKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}

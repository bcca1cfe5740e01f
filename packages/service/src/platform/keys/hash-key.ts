import { hash } from 'node:crypto';

/** Hashes a key to `sha256:<hex>`, the only form that is stored. */
export function hashKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}

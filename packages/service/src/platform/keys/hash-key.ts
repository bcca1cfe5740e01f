import { hash } from 'node:crypto';

/** `sha256:<hex>` of a key, the only form that is stored. */
export function hashKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}

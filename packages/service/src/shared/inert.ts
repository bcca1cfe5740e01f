/** Makes session values safe to show, so that they can't be mistaken for part of the page. */
import { MAX_SHOWN } from './limits.js';

/** Control characters, line breaks, direction marks and zero-width characters. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Removes control characters and bidirectional overrides (which could turn `1$` into `$1` or hide an ending), and
 * truncates long text. Pages also wrap it in `<bdi>` and insert it as text, never as markup.
 */
export function inert(value: string, maxLength: number = MAX_SHOWN): string {
  // Cut first, because a description or a processor's message may be very long.
  const start = value.slice(0, 2 * maxLength);
  const plain = start.replace(INVISIBLE, ' ').trim();
  if (plain.length <= maxLength && start === value) return plain;

  // Do not split a surrogate pair.
  return `${plain
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

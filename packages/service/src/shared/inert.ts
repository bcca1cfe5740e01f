/** Makes values of a session safe to show, so that they can't pass for part of the page. */
import { MAX_SHOWN } from './limits.js';

/** Control characters, line breaks, direction marks and zero-width characters. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Removes control characters and bidirectional overrides (which could turn `1$` into `$1` or hide an ending), and
 * truncates long text. Pages also wrap it in `<bdi>`, and always as text, never as markup.
 */
export function inert(value: string, longest: number = MAX_SHOWN): string {
  const plain = value.replace(UNSEEN, ' ').trim();
  if (plain.length <= longest) return plain;

  // Do not split a surrogate pair.
  return `${plain
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

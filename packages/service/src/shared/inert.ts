/** Values that came with a session, made safe to show: they can look like nothing but a value. */
import { MAX_SHOWN } from './limits.js';

/** Controls, line breaks, marks that turn the direction, and what takes no room at all. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Without control characters and bidirectional overrides (which could make `$1` of `1$` or hide an ending), and cut
 * where nobody would read on. What is shown stands in a `<bdi>` as well; it is text, never markup.
 */
export function inert(value: string, longest: number = MAX_SHOWN): string {
  const plain = value.replace(UNSEEN, ' ').trim();
  if (plain.length <= longest) return plain;
  // Not through the middle of a character that is two code units long.
  return `${plain
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

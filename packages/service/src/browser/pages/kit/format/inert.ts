/** Values that came with the session, made safe to show: they can look like nothing but a value. */
const LONGEST = 300;

/**
 * Without control characters and bidirectional overrides (which could make `$1` of `1$` or hide an ending), and cut
 * where nobody would read on. What is shown stands in a `<bdi>` as well; markup is text to Preact already.
 */
export function inert(value: string, longest: number = LONGEST): string {
  const plain = value
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, ' ')
    .trim();
  return plain.length <= longest ? plain : `${plain.slice(0, longest).trimEnd()}…`;
}

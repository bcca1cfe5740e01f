/** Languages that nobody speaks, for tests: what is cut off or written for one direction shows in them. */

const ACCENTED: Record<string, string> = Object.fromEntries(
  [...'aáeéiíoóuúAÁEÉIÍOÓUÚcçnñyýCÇNÑYÝ'].reduce<[string, string][]>(
    (pairs, letter, at, all) => (at % 2 === 0 ? [...pairs, [letter, all[at + 1] ?? letter]] : pairs),
    [],
  ),
);

/** With accents, and a third longer. */
export function accented(text: string): string {
  const longer = text.replace(/[aeiou]/g, (vowel, at: number) => (at % 3 === 0 ? vowel + vowel : vowel));
  const missing = Math.ceil(text.length * 1.35) - longer.length;
  return longer.replace(/[a-z]/gi, (letter) => ACCENTED[letter] ?? letter) + '~'.repeat(Math.max(0, missing));
}

/** Each word from right to left. */
export function mirrored(text: string): string {
  return text.replace(/[a-z][a-z’']*/gi, '\u200f\u202e$&\u202c\u200f');
}

// What a message is given comes back as it was: private characters stand around it.
const OPEN = '\ue000';
const CLOSE = '\ue001';

/** A catalog said otherwise: all that it says of itself, and nothing of what it was given. */
export function said<T>(catalog: T, how: (text: string) => string): T {
  if (typeof catalog === 'string') return how(catalog) as T;
  if (typeof catalog === 'function') {
    const message = catalog as unknown as (...given: unknown[]) => string;
    return ((...given: unknown[]) =>
      message(...given.map((value) => (typeof value === 'string' ? OPEN + value + CLOSE : value)))
        .split(/(\ue000[^\ue001]*\ue001)/)
        .map((part) => (part.startsWith(OPEN) ? part.slice(1, -1) : how(part)))
        .join('')) as T;
  }
  return Object.fromEntries(
    Object.entries(catalog as object).map(([key, part]) => [key, said(part as unknown, how)]),
  ) as T;
}

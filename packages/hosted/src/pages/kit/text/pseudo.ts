/** Test languages: they reveal truncated texts and layouts that assume one direction. */

const ACCENTED: Record<string, string> = Object.fromEntries(
  [...'aáeéiíoóuúAÁEÉIÍOÓUÚcçnñyýCÇNÑYÝ'].reduce<[string, string][]>(
    (pairs, letter, at, all) => (at % 2 === 0 ? [...pairs, [letter, all[at + 1] ?? letter]] : pairs),
    [],
  ),
);

/** Adds accents and makes the text a third longer. */
export function accented(text: string): string {
  const longer = text.replace(/[aeiou]/g, (vowel, at: number) => (at % 3 === 0 ? vowel + vowel : vowel));
  const missing = Math.ceil(text.length * 1.35) - longer.length;
  return longer.replace(/[a-z]/gi, (letter) => ACCENTED[letter] ?? letter) + '~'.repeat(Math.max(0, missing));
}

/** Turns each word right to left. */
export function mirrored(text: string): string {
  return text.replace(/[a-z][a-z’']*/gi, '\u200f\u202e$&\u202c\u200f');
}

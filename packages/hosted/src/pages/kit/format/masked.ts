import { plain } from '../../../../../service/src/shared/plain.js';

/**
 * Formatting while someone types, without moving the caret: the characters that count (digits) keep their place,
 * the separators between them are put in and taken out around it.
 */
export interface Edit {
  /** What the field holds after the keystroke, and where its caret is. */
  value: string;
  caret: number;
  /** What it held before, as it was formatted. */
  previous: string;
  /** `InputEvent.inputType`, empty when unknown. */
  inputType: string;
}

export interface Formatted {
  value: string;
  caret: number;
}

/** `typing` is false while something is being deleted: no separator may come back at the end then. */
export type Format = (digits: string, typing: boolean) => string;

/** Digits of any width, as ASCII. */
export function digitsOf(value: string): string {
  return plain(value).replace(/\D/g, '');
}

export function reformat(edit: Edit, format: Format): Formatted {
  const value = plain(edit.value);
  let digits = digitsOf(value);
  let before = digitsOf(value.slice(0, edit.caret)).length;
  const deleting = edit.inputType.startsWith('delete');

  // Backspace or Delete on a separator takes the digit on its other side, as if the separator were not there.
  if (deleting && digits === digitsOf(edit.previous) && value.length < edit.previous.length) {
    const forward = edit.inputType.endsWith('Forward');
    const at = forward ? before : before - 1;
    if (at >= 0 && at < digits.length) {
      digits = digits.slice(0, at) + digits.slice(at + 1);
      before = at;
    }
  }

  const atEnd = before === digits.length;
  const next = format(digits, !deleting);
  // The format may have put digits in front (05 for 5) or cut some: a caret at the end stays there.
  return { value: next, caret: atEnd ? next.length : caretAfter(next, before, !deleting) };
}

/** Behind the `count`th digit, and behind the separators that follow it when something was typed. */
function caretAfter(value: string, count: number, skipSeparators: boolean): number {
  let position = 0;
  for (let seen = 0; position < value.length && seen < count; position++) {
    if (/\d/.test(value.charAt(position))) seen++;
  }
  if (skipSeparators) while (position < value.length && !/\d/.test(value.charAt(position))) position++;
  return position;
}

import { plain } from '@shared/plain.js';

export interface Edit {
  /** The field's value and its caret's position after the keystroke. */
  value: string;
  caret: number;
  /** The previous formatted value. */
  previous: string;
  /** `InputEvent.inputType`, or empty if unknown. */
  inputType: string;
}

export interface Formatted {
  value: string;
  caret: number;
}

/** `typing` is false for deletions, which must not bring back a trailing separator. */
export type Format = (digits: string, typing: boolean) => string;

/** Converts full-width digits to ASCII. */
export function digitsOf(value: string): string {
  return plain(value).replace(/\D/g, '');
}

/** Formats a field while the user types, without moving the caret relative to the digits. */
export function reformat(edit: Edit, format: Format): Formatted {
  const value = plain(edit.value);
  let digits = digitsOf(value);
  let before = digitsOf(value.slice(0, edit.caret)).length;
  const deleting = edit.inputType.startsWith('delete');

  // Backspace or Delete on a separator removes the digit on its other side, as if the separator didn't exist.
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
  // The format may add digits (05 for 5) or remove some. A caret at the end stays at the end.
  return { value: next, caret: atEnd ? next.length : caretAfter(next, before, !deleting) };
}

/** The position after the `count`th digit, optionally after the separators that follow it. */
function caretAfter(value: string, count: number, skipSeparators: boolean): number {
  let position = 0;
  for (let seen = 0; position < value.length && seen < count; position++) {
    if (/\d/.test(value.charAt(position))) seen++;
  }
  if (skipSeparators) while (position < value.length && !/\d/.test(value.charAt(position))) position++;
  return position;
}

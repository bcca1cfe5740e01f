import { describe, expect, it } from 'vitest';
import { formatCardNumber } from './card.js';
import { formatExpiry, maskable } from './expiry.js';
import { latinDigits } from '@shared/plain.js';
import { reformat, type Format } from './masked.js';

/** `|` marks the caret. */
function edit(previous: string, next: string, inputType: string, format: Format = formatCardNumber): string {
  const caret = next.indexOf('|');
  const result = reformat(
    { value: next.replace('|', ''), caret, previous: previous.replace('|', ''), inputType },
    format,
  );
  return `${result.value.slice(0, result.caret)}|${result.value.slice(result.caret)}`;
}

describe('formatting while typing', () => {
  it.each([
    ['types at the end', '4242|', '42424|', 'insertText', '4242 4|'],
    ['keeps the caret in the middle', '4242 4242|', '42942 4242|', 'insertText', '4294 2424 2|'],
    ['types in the middle', '4242 4242', '429|42 4242', 'insertText', '429|4 2424 2'],
    ['steps over a separator', '4242 42', '4249|2 42', 'insertText', '4249 |242'],
    ['deletes in the middle', '4242 4242', '42|2 4242', 'deleteContentBackward', '42|24 242'],
    [
      'backspace on a separator removes the digit before it',
      '4242 42',
      '4242|42',
      'deleteContentBackward',
      '424|4 2',
    ],
    [
      'delete on a separator removes the digit after it',
      '4242 42',
      '4242|42',
      'deleteContentForward',
      '4242| 2',
    ],
    ['pastes with dashes', '', '4242-4242-4242-4242|', 'insertFromPaste', '4242 4242 4242 4242|'],
    ['pastes full-width digits', '', '４２４２４２|', 'insertFromPaste', '4242 42|'],
    ['takes the digits of an Arabic keyboard', '4242', '4242٤|', 'insertText', '4242 4|'],
    ['takes the digits of a Persian keyboard', '', '۴۲۴۲۴|', 'insertFromPaste', '4242 4|'],
    ['pastes over a part', '4242 4242', '4211 1|242', 'insertFromPaste', '4211 1|242'],
    ['ignores letters', '4242', '4242x|', 'insertText', '4242|'],
    ['groups American Express as printed', '', '378282246310005|', 'insertFromPaste', '3782 822463 10005|'],
    ['cuts what is too long', '', '3782822463100059|', 'insertFromPaste', '3782 822463 10005|'],
  ])('%s', (_title, previous, next, inputType, expected) => {
    expect(edit(previous, next, inputType)).toBe(expected);
  });

  it.each([
    ['1', '1|', 'insertText', '1|'],
    ['', '5|', 'insertText', '05 / |'],
    ['1', '12|', 'insertText', '12 / |'],
    ['12 / ', '12 /|', 'deleteContentBackward', '1|'],
    ['12 / 3', '12 / |', 'deleteContentBackward', '12|'],
    ['12 / ', '12 / 3|', 'insertText', '12 / 3|'],
    ['', '1234|', 'insertFromPaste', '12 / 34|'],
    ['', '12/2034|', 'insertFromPaste', '12 / 34|'],
    ['12 / 20', '12 / 203|', 'insertText', '12 / 203|'],
    ['12 / 203', '12 / 2034|', 'insertText', '12 / 34|'],
    ['12 / 34', '12 / 345|', 'insertText', '12 / 34|'],
    ['', '12/1934|', 'insertFromPaste', '12 / 1934|'],
    ['', '12/2128|', 'insertFromPaste', '12 / 2128|'],
  ])('expiry: %j then %j', (previous, next, inputType, expected) => {
    expect(edit(previous, next, inputType, formatExpiry)).toBe(expected);
  });

  it.each([
    ['1/', '01/'],
    ['1 ', '01/'],
    ['1 28', '01/28'],
    ['12 / 34', '12/34'],
    ['12 / /', '12/'],
    ['12 / -', '12/'],
    ['12 /  /28', '12/28'],
    ['١', '1'],
    ['١٢ / ٢', '12/2'],
    ['1-2028', '01/2028'],
    ['20', '20'],
    ['2028', null],
    ['2028-01', null],
    ['28/01', null],
    ['Jan 2028', null],
  ])('an expiry of %j is formatted as %j', (value, expected) => {
    expect(maskable(value)).toBe(expected);
  });
});

describe('R-70 digits from an Arabic or Persian keyboard', () => {
  it.each([
    ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
    ['۰۱۲۳۴۵۶۷۸۹', '0123456789'],
    ['١٢٥٠٫٥٠', '1250.50'],
    ['4242', '4242'],
    ['شارع ١٢', 'شارع 12'],
  ])('%s is %s', (typed, latin) => {
    expect(latinDigits(typed)).toBe(latin);
  });
});

import { describe, expect, it } from 'vitest';
import { fieldOf } from './schema.js';

describe('input of a number field', () => {
  it.each([
    ['1234', 1234],
    ['12.5', 12.5],
    ['12.', '12.'],
    ['-', '-'],
    ['12 cents', '12 cents'],
    ['Infinity', 'Infinity'],
    ['', ''],
  ])('R-90 converts %j only if it is a number, so that the service can refuse the rest', (text, field) => {
    expect(fieldOf({ type: 'integer' }, text)).toBe(field);
  });

  it('R-90 keeps a number in a text field as text', () => {
    expect(fieldOf({ type: 'string' }, '1234')).toBe('1234');
  });
});

import { describe, expect, it } from 'vitest';
import { fieldOf } from './schema.js';

describe('what is typed into a field of a number', () => {
  it.each([
    ['1234', 1234],
    ['12.5', 12.5],
    ['12.', '12.'],
    ['-', '-'],
    ['12 cents', '12 cents'],
    ['Infinity', 'Infinity'],
    ['', ''],
  ])('R-90 %j is sent as it was meant, so that the service can refuse it', (text, field) => {
    expect(fieldOf({ type: 'integer' }, text)).toBe(field);
  });

  it('R-90 a number in a field of text stays text', () => {
    expect(fieldOf({ type: 'string' }, '1234')).toBe('1234');
  });
});

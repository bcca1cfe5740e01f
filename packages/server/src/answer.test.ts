import { expect, it } from 'vitest';
import { readAnswer, type RawAnswer, type Refusal } from './answer.js';

const answer = (status: number, text: string): RawAnswer => ({
  status,
  text,
  requestId: undefined,
  lifetimeMs: NaN,
  retryAfterMs: 0,
});
const refusalOf = (status: number, text: string): Refusal | undefined =>
  readAnswer(answer(status, text), false, (same) => same, false).refusal;
const refused = (...errors: unknown[]): string => JSON.stringify({ hasErrors: true, errors, data: null });

it('R-53 an item of errors that is plain words is told in them, and any other as it came', () => {
  expect(refusalOf(400, refused('Not now.'))?.message).toBe('Refused (400): Not now.');
  expect(refusalOf(400, refused({ why: 7 }))?.message).toBe('Refused (400): {"why":7}');
  expect(refusalOf(400, refused({ Code: 'late', Field: 'Charges' }))?.errors).toMatchObject([
    { code: 'late', field: 'Charges', message: 'late' },
  ]);
});

it('of a page that is no envelope at most 200 characters are told, and no fragment', () => {
  const page = `  <p>\n\t${'x'.repeat(190)} /s/1#secret  ${'y'.repeat(100)}`;
  const { message = '' } = refusalOf(502, page) ?? {};
  const shown = message.slice(message.indexOf('<p>'));
  // Of 200 the first was a blank.
  expect(shown).toBe(`<p> ${'x'.repeat(190)} /s/1`.slice(0, 199));
  expect(refusalOf(502, `${' '.repeat(5_000)}a page`)?.message).toMatch(/ a page$/);
  expect(refusalOf(502, `a page #secret${' '.repeat(9)}`)?.message).toMatch(/ a page #\[redacted\]$/);
});

it.each([0, 302])('a redirect, %i, has come to nothing, and is not asked again', (status) => {
  expect(refusalOf(status, '')).toMatchObject({ kind: 'protocol', retry: false, mayHaveArrived: false });
});

it.each([
  [429, false],
  [404, true],
  [502, true],
])('of a %i without an envelope the request may have arrived: %j', (status, mayHaveArrived) => {
  expect(refusalOf(status, 'no envelope')).toMatchObject({ mayHaveArrived });
});

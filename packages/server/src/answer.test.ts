import { expect, it } from 'vitest';
import { readAnswer, type RawAnswer, type Refusal } from './answer.js';

const answer = (status: number, text: string): RawAnswer => ({
  status,
  text,
  requestId: undefined,
  lifetimeMs: NaN,
  environment: null,
  retryAfterMs: 0,
});
const refusalOf = (status: number, text: string, gaveReference = false): Refusal | undefined =>
  readAnswer(answer(status, text), gaveReference, (same) => same, false).refusal;
const refused = (...errors: unknown[]): string => JSON.stringify({ hasErrors: true, errors, data: null });

it('R-53 an item of errors that is plain words is told in them, and any other as it came', () => {
  expect(refusalOf(400, refused('Not now.'))?.message).toBe('Refused (400): Not now.');
  expect(refusalOf(400, refused({ why: 7 }))?.message).toBe('Refused (400): {"why":7}');
  expect(refusalOf(400, refused({ Code: 'late', Field: 'Charges' }))?.errors).toMatchObject([
    { code: 'late', field: 'Charges', message: 'late' },
  ]);
  expect(refusalOf(400, refused('Not now.', 'Not here.'))?.message).toBe('Refused (400): Not now. Not here.');
});

it('R-53 a code or a field that is no text is none, and errors that are no list are none', () => {
  expect(refusalOf(400, refused({ code: 7, message: 'Late.', field: {} }))?.errors).toEqual([
    { message: 'Late.', raw: { code: 7, message: 'Late.', field: {} } },
  ]);
  expect(refusalOf(400, '{"hasErrors":true,"errors":"nope"}')?.errors).toEqual([]);
});

it.each([
  ['client reference was used already', 400, true],
  ['client_reference exists', 400, true],
  ['The client-reference is a duplicate', 400, true],
  ['See Client Reference.', 409, true],
  ['See Client Reference.', 400, false],
  ['The reference exists', 409, false],
])('R-26 that the reference is taken is guessed of %j with %i: %j', (message, status, guessed) => {
  const { kind, details } = refusalOf(status, refused({ message }), true) ?? {};
  expect([kind, details]).toEqual(guessed ? ['referenceConflict', { guess: true }] : ['validation', {}]);
});

it.each([
  [200, '{"data":{"a":1},"b', 'connection'],
  [200, ' \n{"data', 'connection'],
  [200, '{"data":} \n', 'protocol'],
  [200, '<style>a { color: red', 'protocol'],
  [400, '{"data', 'protocol'],
  [502, '{"data', 'protocol'],
])('R-53 a %i whose body is %j is of kind %s', (status, text, kind) => {
  expect(refusalOf(status, text)?.kind).toBe(kind);
});

it('of a page that is no envelope at most 200 characters are told, and no fragment', () => {
  const page = `  <p>\n\t${'x'.repeat(190)} /s/1#secret  ${'y'.repeat(100)}`;
  const { message = '' } = refusalOf(502, page) ?? {};
  const shown = message.slice(message.indexOf('<p>'));
  // The first of the 200 characters was a space.
  expect(shown).toBe(`<p> ${'x'.repeat(190)} /s/1`.slice(0, 199));
  expect(refusalOf(502, `${' '.repeat(5_000)}a page`)?.message).toMatch(/ a page$/);
  expect(refusalOf(502, `a page #secret${' '.repeat(9)}`)?.message).toMatch(/ a page #\[redacted\]$/);
});

it.each([0, 300, 302, 399])('a redirect, %i, has come to nothing, and is not asked again', (status) => {
  expect(refusalOf(status, '')).toMatchObject({ kind: 'protocol', retry: false, mayHaveArrived: false });
});

it.each([
  [429, false],
  [404, true],
  [502, true],
])('of a %i without an envelope the request may have arrived: %j', (status, mayHaveArrived) => {
  expect(refusalOf(status, 'no envelope')).toMatchObject({ mayHaveArrived });
});

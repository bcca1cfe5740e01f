import { expect, it } from 'vitest';
import { readResponse, type Refusal, withoutSecrets } from './response.js';

const refusalOf = (status: number, text: string, gaveReference = false): Refusal | undefined =>
  readResponse({ status, text }, gaveReference, withoutSecrets(''), false).refusal;
const refused = (...errors: unknown[]): string => JSON.stringify({ hasErrors: true, errors, data: null });

it('R-53 uses an error item that is plain text as the message, and serializes any other', () => {
  expect(refusalOf(400, refused('Not now.'))?.message).toBe('Refused (400): Not now.');
  expect(refusalOf(400, refused({ why: 7 }))?.message).toBe('Refused (400): {"why":7}');
  expect(refusalOf(400, refused({ Code: 'late', Field: 'Charges' }))?.errors).toMatchObject([
    { code: 'late', field: 'Charges', message: 'late' },
  ]);
  expect(refusalOf(400, refused('Not now.', 'Not here.'))?.message).toBe('Refused (400): Not now. Not here.');
});

it('R-53 quotes the start of a long refusal, and keeps all of it in `errors`', () => {
  const problems = Array.from({ length: 500 }, (_, index) => ({ message: `Charge ${index} is refused.` }));
  const { message = '', errors = [] } = refusalOf(400, refused(...problems)) ?? {};
  expect(message).toHaveLength(2_000);
  expect(message).toMatch(/^Refused \(400\): Charge 0 is refused\. Charge 1 is refused\./);
  expect(errors).toHaveLength(500);
  expect(refusalOf(400, refused('x'.repeat(200_000)))?.message).toHaveLength(2_000);
});

it('R-43 R-53 reads as many problems as the service names in a refusal', () => {
  const problem = { code: 'invalid', field: 'x'.repeat(60), message: 'x'.repeat(100) };
  const problems = Array.from({ length: 1_000 }, () => problem);
  expect(refusalOf(400, refused(...problems))?.errors).toHaveLength(1_000);
});

it('R-53 R-91 does not read a refusal that would block the backend', () => {
  const nested = (depth: number): string =>
    `{"hasErrors":true,"errors":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const texts = [`{"hasErrors":true,"errors":[{}${',{}'.repeat(100_000)}]}`, nested(100_000)];
  for (const text of texts) {
    const started = process.cpuUsage();
    expect(refusalOf(400, text)).toMatchObject({ kind: 'protocol', retry: false });
    expect(refusalOf(503, text)).toMatchObject({ kind: 'protocol', retry: true, mayHaveArrived: true });
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(300);
  }
});

it('R-53 R-91 redacts a long text quickly', () => {
  const started = process.cpuUsage();
  for (const text of ['/', '?', '#', '%25', '&amp;', '\\\\', '/#1', '?1 '])
    expect(refusalOf(400, refused(text.repeat(60_000)))).toBeDefined();
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(300);
});

it('R-53 R-91 reads only the start of a page for its quotation', () => {
  const started = process.cpuUsage();
  for (const text of ['{} ', '<#', '# ']) expect(refusalOf(502, text.repeat(1_600_000))).toBeDefined();
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(300);
});

it('R-53 ignores a code or field that is not a string, and errors that are not a list', () => {
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
])('R-26 guesses a taken reference from %j with status %i: %j', (message, status, guessed) => {
  const { kind, details } = refusalOf(status, refused({ message }), true) ?? {};
  expect([kind, details]).toEqual(
    guessed ? ['referenceConflict', { guess: true }] : ['validation', undefined],
  );
});

it.each([
  [200, '{"data":{"a":1},"b', 'connection'],
  [200, ' \n{"data', 'connection'],
  [200, '{"data":} \n', 'protocol'],
  [200, '<style>a { color: red', 'protocol'],
  [400, '{"data', 'protocol'],
  [502, '{"data', 'protocol'],
])('R-53 classifies a %i with the body %j as %s', (status, text, kind) => {
  expect(refusalOf(status, text)?.kind).toBe(kind);
});

it('quotes at most 200 characters of a page without an envelope, and no fragment', () => {
  const page = `  <p>\n\t${'x'.repeat(190)} /s/1#secret  ${'y'.repeat(100)}`;
  const { message = '' } = refusalOf(502, page) ?? {};
  const shown = message.slice(message.indexOf('<p>'));
  expect(shown).toBe(`<p> ${'x'.repeat(190)} /s/1#`);
  expect(refusalOf(502, `${' '.repeat(5_000)}a page`)?.message).toMatch(/ a page$/);
  expect(refusalOf(502, `a page #secret${' '.repeat(9)}`)?.message).toMatch(/ a page #\[redacted\]$/);
});

it.each([0, 300, 302, 399])('does not retry a redirect with status %i, which changed nothing', (status) => {
  expect(refusalOf(status, '')).toMatchObject({ kind: 'protocol', retry: false, mayHaveArrived: false });
});

it.each([
  [429, false],
  [404, true],
  [502, true],
])('after a %i without an envelope, the request may have arrived: %j', (status, mayHaveArrived) => {
  expect(refusalOf(status, 'no envelope')).toMatchObject({ mayHaveArrived });
});

import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../shared/languages.js';
import { codeOf, compile, moduleOf, nest, type Nested, type Text } from './compile.js';
import { KEYS, LOCALES } from './texts.js';

/** Runs the module that a page would load. */
async function run(language: string, code: readonly (readonly [string, string])[]): Promise<Nested<Text>> {
  const address = `data:text/javascript,${encodeURIComponent(moduleOf(language, code))}`;
  const module = (await import(/* @vite-ignore */ address)) as { default: Nested<Text> };
  return module.default;
}

const FORMS = '{n, plural, zero {z #} one {o #} two {t #} few {f #} many {m #} other {x #}}';

it.each([
  ['en', 1, 'o 1'],
  ['en', 2, 'x 2'],
  ['fr', 1_000_000, 'm 1000000'],
  ['tl', 3, 'o 3'],
  ['tl', 4, 'x 4'],
  ['ru', 3, 'f 3'],
  ['ru', 5, 'm 5'],
  ['ru', 21, 'o 21'],
  ['ar', 0, 'z 0'],
  ['ar', 2, 't 2'],
  ['ar', 11, 'm 11'],
  ['zh-Hans', 1, 'x 1'],
])('R-70 picks the plural form in %s for %i: %s', async (language, count, expected) => {
  const write = compile(language, FORMS, ['n']) as (n: number) => string;
  const module = (await run(language, [['a', codeOf(language, FORMS, ['n'])]])) as { a: typeof write };
  expect([write(count), module.a(count)]).toEqual([expected, expected]);
});

it('prefers an exact number to a plural form', () => {
  const write = compile('en', '{n, plural, =1 {alone} one {one} other {# of {what}}}', ['what', 'n']);
  expect(write).toBeTypeOf('function');
  if (typeof write === 'function') expect([write('us', 1), write('us', 2)]).toEqual(['alone', '2 of us']);
});

it('passes arguments in the declared order', async () => {
  const message = 'on {date}: {amount}';
  const module = await run('en', [['pay', codeOf('en', message, ['amount', 'date'])]]);
  const { pay } = module as { pay: (...values: string[]) => string };
  expect(pay('$1', 'May 1')).toBe('on May 1: $1');
});

it.each([
  ['{a', /invalid syntax|unexpected/i],
  ['{n, plural, one {1}}', /other/],
  ['{n, plural, one {1} other {2}}', /needs many, few/],
  ['{n, selectordinal, other {2}}', /may be/],
  ['{n, select, a {1} other {2}}', /may be/],
  ['{n, date}', /may be/],
  ['{m}', /not an argument/],
  ['{n, plural, offset:1 one {1} few {2} many {3} other {4}}', /may be/],
])('refuses %j', (message, problem) => {
  expect(() => compile('ru', message, ['n'])).toThrow(problem);
});

it('does not run code in texts', async () => {
  const words = '`${alert(1)}` \\ "quoted" \u2028 {name}';
  const message = words.replace('{alert(1)}', "'{'alert(1)'}'");
  const module = (await run('en', [['a', codeOf('en', message, ['name'])]])) as {
    a: (name: string) => string;
  };
  expect(module.a('x')).toBe(words.replace('{name}', 'x'));
});

describe.each(LANGUAGES)('in %s', (language) => {
  it('page and service produce the same text', async () => {
    const entries = Object.entries(LOCALES[language].messages).map(
      ([key, message]) => [key, message, KEYS[key]?.arguments ?? []] as const,
    );
    const module = await run(
      language,
      entries.map(([key, message, names]) => [key, codeOf(language, message, names)] as const),
    );
    const texts = nest(
      entries.map(([key, message, names]) => [key, compile(language, message, names)] as const),
    );
    const written = (value: Text | Nested<Text>): unknown => {
      if (typeof value === 'string') return value;
      if (typeof value === 'function') return [0, 1, 2, 3, 11].map((count) => value(count, 'b', 'c', 'd'));
      return Object.entries(value).map(([key, each]) => [key, written(each)]);
    };
    expect(written(module)).toEqual(written(texts));
  });
});

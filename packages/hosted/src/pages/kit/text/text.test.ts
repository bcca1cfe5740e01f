import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fileOf,
  missingKeys,
  missingTerms,
  readGlossary,
  readLocales,
  serialize,
  staleKeys,
} from '../../../../../../tools/locales.mjs';
import { LANGUAGES, type Language } from '@shared/languages.js';
import { MESSAGE_KINDS } from '../../../../../service/src/messages/rules.js';
import { argumentsOf, partsOf } from '../../../../../service/src/texts/compile.js';
import { KEYS, LOCALES, textsOf } from '../../../../../service/src/texts/texts.js';
import { typesOf } from '../../../../vite.texts.js';

const ROOT = join(import.meta.dirname, '../../../..');
const english = LOCALES.en.messages;
const others = LANGUAGES.filter((language) => language !== 'en');
const argumentNames = (language: Language, message: string) =>
  [...argumentsOf(partsOf(language, message)).keys()].toSorted();

it('R-70 each language has a file of texts', () => {
  expect(Object.keys(LOCALES).toSorted()).toEqual(LANGUAGES.toSorted());
});

describe.each(others)('the texts of %s', (language) => {
  const { messages } = LOCALES[language];

  it('R-70 have the keys and arguments of the English texts', () => {
    expect(Object.keys(messages)).toEqual(Object.keys(english));
    for (const [key, message] of Object.entries(messages)) {
      expect(message.trim(), key).not.toBe('');
      expect(argumentNames(language, message), key).toEqual(KEYS[key]?.arguments?.toSorted() ?? []);
      expect(message, key).not.toMatch(/undefined|\[object/);
    }
  });

  it('R-70 are not English', () => {
    const same = Object.keys(messages).filter((key) => messages[key] === english[key]);
    expect(same.length).toBeLessThan(Object.keys(english).length / 8);
  });
});

it('R-70 the English texts declare their arguments', () => {
  for (const [key, message] of Object.entries(english))
    expect(argumentNames('en', message), key).toEqual(KEYS[key]?.arguments?.toSorted() ?? []);
});

it('R-70 no translation is older than its English text', () => {
  const { english: source, translations } = readLocales();
  const stale = translations.flatMap((each) =>
    staleKeys(source, each).map((key) => `${each.language} ${key}`),
  );
  // Correct the translations, then run `pnpm locales accept LANGUAGE KEY…`.
  expect(stale).toEqual([]);
});

it('R-70 the translation files are formatted as `pnpm locales` writes them', () => {
  for (const each of readLocales().translations)
    expect(readFileSync(fileOf(each.language), 'utf8')).toBe(serialize(each));
});

it('R-70 detects a translation whose English text has changed', () => {
  const { english: source, translations } = readLocales();
  const changed = { messages: { ...source.messages, 'payment.pay': 'Pay {amount} now' } };
  expect(translations.map((each) => staleKeys(changed, each))).toEqual(others.map(() => ['payment.pay']));
});

it('R-70 finds texts that a translation lacks, so that nobody accepts them', () => {
  const english = { messages: { one: 'One', two: 'Two' } };
  const keys = ['one', 'two', 'mistyped'];
  expect(missingKeys(english, { messages: { one: 'Un' } }, keys)).toEqual(['two', 'mistyped']);
});

it('R-70 the translations use the terms of the glossary', () => {
  const glossary = readGlossary();
  const { english: source, translations } = readLocales();
  expect(Object.keys(glossary.terms).length).toBeGreaterThanOrEqual(30);
  for (const each of translations) expect(missingTerms(glossary, source, each), each.language).toEqual([]);
});

it('R-70 each exception in the glossary is needed', () => {
  const glossary = readGlossary();
  const { english: source, translations } = readLocales();
  for (const each of translations) {
    const without = missingTerms({ ...glossary, exceptions: {} }, source, each);
    const needed = new Set(without.map((found) => found.split(':')[0]));
    expect(new Set(Object.keys(glossary.exceptions[each.language] ?? {}))).toEqual(needed);
  }
});

it('R-70 detects a translation that lacks a term of the glossary', () => {
  const glossary = { terms: { refund: { es: ['reembols'], fr: ['rembours'] } }, exceptions: {} };
  const source = { messages: { one: 'Two refunds', other: 'Refundable', third: '{refund}' } };
  const find = (language: string, one: string) =>
    missingTerms(glossary, source, { language, messages: { one, other: '', third: '' } });
  expect([find('es', 'Dos Reembolsos'), find('es', 'Dos'), find('fr', 'Deux reembolsos')]).toEqual([
    [],
    ['one: refund'],
    ['one: refund'],
  ]);
});

it('R-70 each text has a description and a screenshot of a state that shows it', () => {
  const states = readdirSync(join(ROOT, '../../e2e/pages/states'))
    .map((file) => readFileSync(join(ROOT, '../../e2e/pages/states', file), 'utf8'))
    .join('');
  const { keys } = JSON.parse(readFileSync(fileOf('en'), 'utf8')) as {
    keys: Record<string, { description: string; screenshot: string }>;
  };
  expect(Object.keys(keys)).toEqual(Object.keys(english));
  for (const [key, { description, screenshot }] of Object.entries(keys)) {
    expect(description, key).not.toBe('');
    // The states of messages are named after their kinds.
    const isState = screenshot.startsWith('message-')
      ? MESSAGE_KINDS.some((kind) => screenshot === `message-${kind}`)
      : states.includes(`'${screenshot}'`);
    expect(isState, `${key}: ${screenshot}`).toBe(true);
  }
});

it('R-70 the docs say who has reviewed each language', () => {
  const docs = readFileSync(join(ROOT, '../../docs/languages.md'), 'utf8');
  const rows = [...docs.matchAll(/^\| `([\w-]+)` \| .* \| (.*) \|$/gm)].map(([, tag, who]) => [tag, who]);
  const expected = LANGUAGES.map((each) => [each, LOCALES[each].reviewedBy ?? 'nobody yet']);
  expect(rows).toEqual(expected);
});

it('R-70 the generated types match the English texts', () => {
  // The build writes them.
  expect(readFileSync(join(ROOT, '../service/src/shared/texts.generated.ts'), 'utf8')).toBe(typesOf());
});

it('R-70 French punctuation has no-break spaces before it', () => {
  const loose = Object.entries(LOCALES.fr.messages).filter(([, text]) => / [;:?!»]/.test(text));
  expect(loose).toEqual([]);
});

it.each(LANGUAGES)('R-70 in %s the name of a button contains its visible label (WCAG 2.5.3)', (language) => {
  const { messages } = LOCALES[language];
  const words = (key: string): string =>
    ` ${(messages[key] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}{}]+/gu, ' ')
      .trim()} `;
  const named = Object.keys(messages).filter((key) => key.endsWith('Of') && key.slice(0, -2) in messages);
  expect(named.map((key) => key.split('.').at(-1))).toEqual(
    expect.arrayContaining(['cancelOf', 'makeDefaultOf', 'nameOf', 'removeOf', 'renewOf']),
  );
  for (const key of named) expect(words(key), key).toContain(words(key.slice(0, -2)));
});

it.each(LANGUAGES)('R-104 in %s the page says how to stop text messages', (language) => {
  const { phoneHint } = textsOf(language).manage.notifications;
  // Mobile carriers know these words in English only.
  for (const word of ['STOP', 'HELP']) expect(phoneHint).toContain(word);
});

it.each(LANGUAGES)('R-60 in %s texts contain each count from 3 to 9', (language) => {
  const { after, rest } = textsOf(language);
  for (const count of [3, 4, 5, 6, 7, 8, 9])
    for (const write of [after.attemptsLeft, rest.common.errorsTitle, rest.common.endsSoon])
      expect(write(count)).toContain(String(count));
});

describe('texts', () => {
  const folders = [join(ROOT, 'src'), join(ROOT, '../service/src')];
  const source = folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|shared\/texts\.ts/.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    )
    .join('\n');
  /** Keys that the code computes from typed data, such as kinds and statuses. */
  const COMPUTED = /\.(?:kinds|hints|status|declineAdvice|next)\.|^message\.[\w-]+\.(?:subject|body)$/;

  it('are all used', () => {
    const unused = Object.keys(english)
      .filter((key) => !COMPUTED.test(key))
      .filter((key) => !new RegExp(`[.{,(\\s'"]${key.split('.').at(-1)}\\b`).test(source));
    expect(unused).toEqual([]);
  });
});

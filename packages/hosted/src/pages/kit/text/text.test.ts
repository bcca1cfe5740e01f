import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language, type PageLanguage } from '../../../../../service/src/shared/languages.js';
import enAfter from './en/after.js';
import enManage from './en/manage.js';
import enPayment from './en/payment.js';
import enProblem from './en/problem.js';
import esAfter from './es/after.js';
import esManage from './es/manage.js';
import esPayment from './es/payment.js';
import esProblem from './es/problem.js';
import frAfter from './fr/after.js';
import frManage from './fr/manage.js';
import frPayment from './fr/payment.js';
import frProblem from './fr/problem.js';
import ptAfter from './pt/after.js';
import ptManage from './pt/manage.js';
import ptPayment from './pt/payment.js';
import ptProblem from './pt/problem.js';
import zhHansAfter from './zh-Hans/after.js';
import zhHansManage from './zh-Hans/manage.js';
import zhHansPayment from './zh-Hans/payment.js';
import zhHansProblem from './zh-Hans/problem.js';
import zhHantAfter from './zh-Hant/after.js';
import zhHantManage from './zh-Hant/manage.js';
import zhHantPayment from './zh-Hant/payment.js';
import zhHantProblem from './zh-Hant/problem.js';
import viAfter from './vi/after.js';
import viManage from './vi/manage.js';
import viPayment from './vi/payment.js';
import viProblem from './vi/problem.js';
import koAfter from './ko/after.js';
import koManage from './ko/manage.js';
import koPayment from './ko/payment.js';
import koProblem from './ko/problem.js';
import tlAfter from './tl/after.js';
import tlManage from './tl/manage.js';
import tlPayment from './tl/payment.js';
import tlProblem from './tl/problem.js';
import ruAfter from './ru/after.js';
import ruManage from './ru/manage.js';
import ruPayment from './ru/payment.js';
import ruProblem from './ru/problem.js';
import htAfter from './ht/after.js';
import htManage from './ht/manage.js';
import htPayment from './ht/payment.js';
import htProblem from './ht/problem.js';
import arAfter from './ar/after.js';
import arManage from './ar/manage.js';
import arPayment from './ar/payment.js';
import arProblem from './ar/problem.js';
import enXAAfter from './en-XA/after.js';
import enXAManage from './en-XA/manage.js';
import enXAPayment from './en-XA/payment.js';
import enXAProblem from './en-XA/problem.js';
import arXBAfter from './ar-XB/after.js';
import arXBManage from './ar-XB/manage.js';
import arXBPayment from './ar-XB/payment.js';
import arXBProblem from './ar-XB/problem.js';
import { plural } from './plural.js';
import { accented, said } from './pseudo.js';

type Parts = {
  payment: typeof enPayment;
  after: typeof enAfter;
  manage: typeof enManage;
  problem: typeof enProblem;
};

/** Every catalog: a language without one does not compile. */
const CATALOGS: Record<PageLanguage, { [Part in keyof Parts]: object }> = {
  en: { payment: enPayment, after: enAfter, manage: enManage, problem: enProblem },
  es: { payment: esPayment, after: esAfter, manage: esManage, problem: esProblem },
  fr: { payment: frPayment, after: frAfter, manage: frManage, problem: frProblem },
  pt: { payment: ptPayment, after: ptAfter, manage: ptManage, problem: ptProblem },
  'zh-Hans': { payment: zhHansPayment, after: zhHansAfter, manage: zhHansManage, problem: zhHansProblem },
  'zh-Hant': { payment: zhHantPayment, after: zhHantAfter, manage: zhHantManage, problem: zhHantProblem },
  vi: { payment: viPayment, after: viAfter, manage: viManage, problem: viProblem },
  ko: { payment: koPayment, after: koAfter, manage: koManage, problem: koProblem },
  tl: { payment: tlPayment, after: tlAfter, manage: tlManage, problem: tlProblem },
  ru: { payment: ruPayment, after: ruAfter, manage: ruManage, problem: ruProblem },
  ht: { payment: htPayment, after: htAfter, manage: htManage, problem: htProblem },
  ar: { payment: arPayment, after: arAfter, manage: arManage, problem: arProblem },
  'en-XA': { payment: enXAPayment, after: enXAAfter, manage: enXAManage, problem: enXAProblem },
  'ar-XB': { payment: arXBPayment, after: arXBAfter, manage: arXBManage, problem: arXBProblem },
};

/** Every text with its path; messages are given their parameters' places, and numbers where they count. */
function texts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    return [[path, (value as (...given: string[]) => string)('‹1›', '‹2›', '‹3›', '‹4›')]];
  }
  return Object.entries(value as object).flatMap(([key, part]) => texts(part, `${path}.${key}`));
}

const others = LANGUAGES.filter((language) => language !== 'en');

describe.each(others)('the catalog of %s', (language) => {
  it.each(['payment', 'after', 'manage', 'problem'] as const)(
    'R-70 says all that the English one says: %s',
    (part) => {
      const own = new Map(texts(CATALOGS[language][part]));
      const english = texts(CATALOGS.en[part]);
      expect([...own.keys()].sort()).toEqual(english.map(([path]) => path).sort());
      for (const [path, text] of english) {
        const other = own.get(path) ?? '';
        expect(other.trim(), path).not.toBe('');
        for (const place of ['‹1›', '‹2›', '‹3›', '‹4›'])
          expect(other.includes(place), `${path} ${place}`).toBe(text.includes(place));
        // Cut short in the editor, or pasted from another: quotes and brackets come in pairs.
        expect(other, path).not.toMatch(/undefined|\$\{|\[object/);
      }
    },
  );

  it('R-70 is its own: what it says is not English', () => {
    const said = ({ payment, after }: { payment: object; after: object }) => texts({ payment, after });
    const english = new Map(said(CATALOGS.en));
    const same = said(CATALOGS[language]).filter(([path, text]) => english.get(path) === text);
    expect(same.length).toBeLessThan(english.size / 8);
  });
});

it('R-70 in French no line begins with the sign that ends the one before', () => {
  const { payment, after, manage, problem } = CATALOGS.fr;
  const loose = texts({ payment, after, manage, problem }).filter(([, text]) => / [;:?!»]/.test(text));
  expect(loose).toEqual([]);
});

it.each(LANGUAGES)(
  'R-70 in %s a button is called, among other things, what stands on it (WCAG 2.5.3)',
  (language) => {
    const said = new Map(texts(CATALOGS[language].manage));
    const words = (path: string): string =>
      ` ${(said.get(path) ?? '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}‹›]+/gu, ' ')
        .trim()} `;
    const called = [...said.keys()].filter((path) => path.endsWith('Of') && said.has(path.slice(0, -2)));
    expect(called.map((path) => path.split('.').at(-1))).toEqual(
      expect.arrayContaining(['cancelOf', 'makeDefaultOf', 'nameOf', 'removeOf', 'renewOf']),
    );
    for (const path of called) expect(words(path), path).toContain(words(path.slice(0, -2)));
  },
);

it.each([
  ['en', 1, 'one'],
  ['en', 2, 'other'],
  ['fr', 1_000_000, 'other'],
  ['ru', 3, 'few'],
  ['ru', 5, 'many'],
  ['ar', 2, 'two'],
  ['ar', 11, 'many'],
  ['zh-Hans', 1, 'other'],
] as const)('R-70 in %s %i is said in its form: %s', (language: Language, count, form) => {
  const forms = { zero: 'zero', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' };
  const own = language === 'fr' ? { one: 'one', other: 'other' } : forms;
  expect(plural(language, count, own as never)).toBe(form === 'other' ? 'other' : form);
});

it('R-70 a test language says the English text otherwise, and what it is given as it is', () => {
  const { shared } = said(enPayment, accented);
  expect(shared.method.cardNumber).toMatch(/^[^A-Za-z]+/);
  expect(shared.method.cardNumber.length).toBeGreaterThan(enPayment.shared.method.cardNumber.length * 1.3);
  expect(shared.common.privacy('Harborlight Water')).toContain('Harborlight Water');
});

const countsOf = (language: Language, count: number): string[] => {
  const { after, manage } = CATALOGS[language] as { after: typeof enAfter; manage: typeof enManage };
  return [
    after.part.attemptsLeft(count),
    manage.rest.common.errorsTitle(count),
    manage.rest.common.endsSoon(count),
  ];
};

it.each(LANGUAGES)('R-60 in %s each count from 3 to 9 is printed', (language) => {
  for (const count of [3, 4, 5, 6, 7, 8, 9])
    for (const message of countsOf(language, count)) expect(message).toContain(String(count));
});

describe('messages', () => {
  const pages = join(import.meta.dirname, '../..');
  const shared = join(pages, '../../../service/src/shared/authorization-text.ts');
  const source = readdirSync(pages, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.') && !file.includes('kit/text/'))
    .map((file) => readFileSync(join(pages, file), 'utf8'))
    .concat(readFileSync(shared, 'utf8'))
    .join('\n');
  /** Read by a name that is in the data: kinds and statuses, which are typed as its keys. */
  const COMPUTED = /\.(?:kinds|hints|status|declineAdvice|next)\./;

  it.each(['payment', 'after', 'manage', 'problem'] as const)('are all said somewhere: %s', (part) => {
    const unsaid = texts(CATALOGS.en[part])
      .map(([path]) => path)
      .filter((path) => !COMPUTED.test(path))
      .filter((path) => !new RegExp(`[.{,(\\s'"]${path.split('.').at(-1)}\\b`).test(source));
    expect(unsaid).toEqual([]);
  });
});

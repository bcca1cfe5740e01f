import { describe, expect, it } from 'vitest';
import { parseConfig } from '../platform/config/config.js';
import { renderMessage } from '../messages/render.js';
import { LANGUAGES } from '../shared/languages.js';
import { LOCALES, overrideProblem, REVIEWED } from './texts.js';

const unit = { slug: 'water', name: 'Harborlight Water', timeZone: 'UTC' };
const configOf = (settings: object) => ({ businessUnits: [{ slug: 'water', name: 'Water', ...settings }] });

describe('R-70 texts that a business unit replaces', () => {
  it.each([
    ['en', 'payment.nothing', 'x', /no such text/],
    ['en', '__proto__', 'x', /no such text/],
    ['en', 'authorization.autopay', '{business} {account}', /authorize cannot be replaced/],
    ['en', 'manage.autopay.limit', 'x', /authorize cannot be replaced/],
    ['en', 'sdk.close', 'x', /same texts for everybody/],
    ['en', 'payment.pay', 'Pay', /has the arguments none, expected amount/],
    ['en', 'payment.total', '{sum}', /has the arguments sum, expected none/],
    ['en', 'payment.pay', 'Pay {amount', /is not an ICU message/],
    ['ru', 'after.attemptsLeft', '{count, plural, one {#} other {#}}', /needs many, few/],
  ] as const)('rejects %s %s %j', (language, key, message, problem) => {
    expect(overrideProblem(language, key, message)).toMatch(problem);
    const wrong = configOf({ messages: { [language]: { [key]: message } } });
    if (key !== '__proto__')
      expect(() => parseConfig(wrong, 'staging')).toThrow(`businessUnits[0].messages.${language}.${key}: `);
  });

  it('R-104 appear in messages', () => {
    const messages = { en: { 'message.receipt.subject': 'Paid: {business}' } };
    const message = { kind: 'receipt', facts: {}, createdAt: 0 } as const;
    const subjectIn = (language: 'en' | 'es') =>
      renderMessage({ ...message, language }, { ...unit, messages }).subject;
    expect([subjectIn('en'), subjectIn('es')]).toEqual([
      'Paid: Harborlight Water',
      'Su pago a Harborlight Water',
    ]);
  });
});

it('R-29 R-70 payment fields have labels by language', () => {
  const field = { key: 'Invoice', label: 'Invoice number' };
  const fieldsOf = (labels: object) =>
    parseConfig(configOf({ paymentFields: [{ ...field, labels }] }), 'staging').businessUnits[0]
      ?.paymentFields;
  expect(fieldsOf({ es: 'Número de factura' })).toMatchObject([{ labels: { es: 'Número de factura' } }]);
  expect(() => fieldsOf({ xx: 'x' })).toThrow('businessUnits[0].paymentFields[0].labels');
});

describe('R-70 in production', () => {
  const languagesOf = (settings: object, env: 'production' | 'staging') =>
    parseConfig(configOf(settings), env).businessUnits[0]?.languages;

  it('offers an unreviewed language only if the business unit lists it', () => {
    const reviewed = LANGUAGES.filter((each) => each === 'en' || LOCALES[each].reviewedBy !== null);
    expect(REVIEWED).toEqual(reviewed);
    expect(languagesOf({}, 'production')).toEqual(reviewed);
    expect(languagesOf({ languages: ['es', 'ht'] }, 'production')).toEqual(['es', 'ht']);
    expect(languagesOf({ locale: 'fil' }, 'production')).toContain('tl');
    expect(languagesOf({}, 'staging')).toBeUndefined();
  });
});

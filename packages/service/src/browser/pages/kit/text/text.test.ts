import { expect, it } from 'vitest';
import englishManage from './en/manage.js';
import englishPayment from './en/payment.js';
import englishProblem from './en/problem.js';
import spanishManage from './es/manage.js';
import spanishPayment from './es/payment.js';
import spanishProblem from './es/problem.js';

/** Every text with its path; functions are called with their parameters' places. */
function texts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    return [[path, (value as (...args: string[]) => string)('‹1›', '‹2›', '‹3›')]];
  }
  return Object.entries(value as object).flatMap(([key, part]) => texts(part, `${path}.${key}`));
}

it.each([
  ['payment', englishPayment, spanishPayment],
  ['manage', englishManage, spanishManage],
  ['problem', englishProblem, spanishProblem],
])('the Spanish catalog of %s says everything that the English one says', (_name, english, spanish) => {
  const said = new Map(texts(spanish));
  for (const [path, text] of texts(english)) {
    const other = said.get(path);
    expect(other, path).toBeTruthy();
    for (const place of ['‹1›', '‹2›']) expect(other?.includes(place), path).toBe(text.includes(place));
  }
});

import { matchLanguage, matchTestLanguage, type PageLanguage } from '../shared/languages.js';

interface Wishes {
  /** Of the page's address, where the merchant's page has chosen. */
  asked: string | undefined;
  /** Of the business unit. */
  configured: string | undefined;
  /** Of the payer's browser. */
  acceptLanguage: string | undefined;
  /** Languages for tests may be asked for. */
  tests: boolean;
}

/** The merchant's choice, else the first that the payer's browser asks for and that there is a catalog of, else English. */
export function chooseLanguage({ asked = '', configured = '', acceptLanguage, tests }: Wishes): PageLanguage {
  return (
    (tests ? matchTestLanguage(asked) : undefined) ??
    matchLanguage(asked) ??
    matchLanguage(configured) ??
    ofBrowser(acceptLanguage) ??
    'en'
  );
}

function ofBrowser(acceptLanguage = ''): PageLanguage | undefined {
  return acceptLanguage
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
      return { language: matchLanguage(tag), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .find(({ language }) => language !== undefined)?.language;
}

// `pnpm locales` lists translations whose English text has changed since. `pnpm locales accept es after.declined` marks one
// as correct again; without keys, all of that language. `accept all` does it in every language.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const FOLDER = new URL('../packages/hosted/locales/', import.meta.url);

/** @param {string} language */
export const fileOf = (language) => new URL(`${language}.json`, FOLDER);

/** @typedef {{ language: string, messages: Record<string, string>, sources: Record<string, string> }} Translation */

/**
 * Terms and how translations may say them, and messages that say one otherwise, with the reason.
 * @typedef {{ terms: Record<string, Record<string, string[]>>, exceptions: Record<string, Record<string, string>> }} Glossary
 */

/** @returns {Glossary} */
export const readGlossary = () => JSON.parse(readFileSync(fileOf('glossary'), 'utf8'));

/** @returns {{ english: Translation, translations: Translation[] }} */
export function readLocales() {
  const files = readdirSync(FOLDER).filter((name) => name !== 'glossary.json');
  const all = files.map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
  const isEnglish = ({ language }) => language === 'en';
  return { english: all.find(isEnglish), translations: all.filter((each) => !isEnglish(each)) };
}

/** @param {string} message in English */
export function sourceOf(message) {
  return createHash('sha256').update(message).digest('hex').slice(0, 8);
}

/**
 * Keys whose English text has changed since the translation.
 * @param {Pick<Translation, 'messages'>} english
 * @param {Pick<Translation, 'sources'>} translation
 */
export function staleKeys(english, { sources }) {
  return Object.keys(english.messages).filter((key) => sources[key] !== sourceOf(english.messages[key]));
}

/**
 * The given keys without a text in English or in the translation.
 * @param {Pick<Translation, 'messages'>} english
 * @param {Pick<Translation, 'messages'>} translation
 * @param {readonly string[]} keys
 */
export function missingKeys(english, translation, keys) {
  return keys.filter((key) => !(key in english.messages && key in translation.messages));
}

/**
 * Messages whose English text contains a term of the glossary that is missing in the translation: `payment.pay: amount`.
 * @param {Glossary} glossary
 * @param {Pick<Translation, 'messages'>} english
 * @param {Pick<Translation, 'language' | 'messages'>} translation
 */
export function missingTerms({ terms, exceptions }, english, { language, messages }) {
  const found = [];
  for (const [term, words] of Object.entries(terms)) {
    const named = new RegExp(`(?<![\\w-])${term}s?(?![\\w-])`, 'i');
    for (const [key, message] of Object.entries(english.messages)) {
      if (exceptions[language]?.[key] !== undefined || !named.test(message.replace(/\{\w+\}/g, ''))) continue;
      const text = (messages[key] ?? '').toLowerCase();
      if (!words[language]?.some((word) => text.includes(word.toLowerCase()))) found.push(`${key}: ${term}`);
    }
  }
  return found;
}

function main([command, language, ...keys]) {
  const { english, translations } = readLocales();
  if (command === 'accept') {
    const chosen = translations.filter((each) => language === 'all' || each.language === language);
    if (chosen.length === 0) throw new Error(`no language ${language}`);
    for (const translation of chosen) {
      const accepted = keys.length > 0 ? keys : staleKeys(english, translation);
      const missing = missingKeys(english, translation, accepted);
      if (missing.length > 0) {
        console.error(`${translation.language} or en has no ${missing.join(', ')}: add the text first.`);
        process.exitCode = 1;
        continue;
      }
      for (const key of accepted) translation.sources[key] = sourceOf(english.messages[key]);
      writeFileSync(fileOf(translation.language), serialize(translation));
      console.log(`${translation.language}: ${accepted.length} accepted`);
    }
    return;
  }
  for (const translation of translations)
    for (const key of staleKeys(english, translation)) {
      console.log(
        `${translation.language} ${key}\n  ${english.messages[key]}\n  ${translation.messages[key]}`,
      );
      process.exitCode = 1;
    }
}

/**
 * The content of a file, with invisible spaces and marks as escapes.
 * @param {Translation} translation
 */
export function serialize(translation) {
  const json = JSON.stringify(translation, null, 2).replace(
    /[\u00a0\u200b-\u200f\u2011\u202a-\u202f\u2060-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}

if (import.meta.filename === process.argv[1]) main(process.argv.slice(2));

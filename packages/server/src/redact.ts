import type { Redact } from './response.js';

/** Shorter keys are ordinary words, such as `test`, which responses contain for other reasons. */
const MIN_KEY_LENGTH = 8;

/** A pattern for a printable character: plain, or escaped for JSON, a URL or HTML, even repeatedly. */
const patternOf = (character: string): string => {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return String.raw`\\{0,3}(?:\x${hex}|u00${hex}|%(?:25)*${hex}|&(?:amp;)*#(?:x0*${hex}|0*${code});)`;
};

const SLASH = new RegExp(patternOf('/'), 'i');
const QUERY_OR_FRAGMENT = new RegExp(`(${patternOf('?')}|${patternOf('#')}).+`, 'i');
/** Outside a URL or path, `#12` may be an invoice. */
const FRAGMENT = new RegExp(String.raw`(${patternOf('#')})(?!\d{1,12}\W*$).+`, 'i');

/** Removes queries and fragments of URLs and paths, because that is where a session URL has its secret. */
const withoutQueriesAndFragments: Redact = (text) =>
  text.replace(/[^\s"'<>]+/g, (word) => {
    const path = word.search(SLASH);
    const url = path < 0 ? '' : word.slice(path).replace(QUERY_OR_FRAGMENT, '$1[redacted]');
    return (path < 0 ? word : word.slice(0, path) + url).replace(FRAGMENT, '$1[redacted]');
  });

/**
 * Removes the API key and the secrets of session URLs from texts. Builds the key's pattern once, because a response can
 * have a million texts.
 */
export const withoutSecrets = (key: string): Redact => {
  // Headers are sent without surrounding spaces.
  const trimmed = key.trim();
  if (trimmed.length < MIN_KEY_LENGTH) return withoutQueriesAndFragments;

  const pattern = new RegExp(Array.from(trimmed, patternOf).join(''), 'gi');
  return (text) => withoutQueriesAndFragments(text.replace(pattern, '[redacted]'));
};

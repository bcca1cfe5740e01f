import type { Redact } from './response.js';

/** Shorter keys are ordinary words, such as `test`, which responses contain for other reasons. */
const MIN_KEY_LENGTH = 8;

/** A pattern for a printable character: plain, or escaped for JSON, a URL or HTML. */
const patternOf = (character: string): string => {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return String.raw`\\{0,3}(?:\x${hex}|u00${hex}|%${hex}|&#(?:x${hex}|${code});)`;
};

/** What follows `?` or `#` in a word, because a session URL has its secret there. Only digits may number an invoice. */
const QUERY_OR_FRAGMENT = String.raw`(${patternOf('?')}|${patternOf('#')})(?!\d{0,12}\W{0,9}(?![^"'<>\s]))[^"'<>\s]+`;

/**
 * Removes the API key and the secrets of session URLs from texts. Builds the pattern once, because a response can have a
 * million texts.
 */
export const withoutSecrets = (key: string): Redact => {
  // Headers are sent without surrounding spaces.
  const trimmed = key.trim();
  const ofKey = trimmed.length < MIN_KEY_LENGTH ? '' : `${Array.from(trimmed, patternOf).join('')}|`;
  const pattern = new RegExp(ofKey + QUERY_OR_FRAGMENT, 'gi');
  return (text) => text.replace(pattern, '$1[redacted]');
};

import type { Redact } from './response.js';

/** Shorter keys are ordinary words, such as `test`, which responses contain for other reasons. */
const MIN_KEY_LENGTH = 8;

/** A pattern for a printable character: plain, or escaped for JSON, a URL or HTML. */
const patternOf = (character: string): string => {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return String.raw`\\{0,3}(?:\x${hex}|u00${hex}|%${hex}|&#x${hex};|&#${code};)`;
};

/** Removes the API key from texts. Builds the pattern once, because a response can have a million texts. */
export const withoutKey = (key: string): Redact => {
  // Headers are sent without surrounding spaces.
  const trimmed = key.trim();
  if (trimmed.length < MIN_KEY_LENGTH) return (text) => text;

  const pattern = new RegExp(Array.from(trimmed, patternOf).join(''), 'gi');
  return (text) => text.replace(pattern, '[redacted]');
};

// Removes secrets of the session's URL from everything that an SDK reports. Leaves at most the URL's origin.
import { attempt } from './attempt.js';
import { decodeAscii } from './environment.js';

/** Shorter parts of a URL are likely ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** A pattern that matches `text` literally or URL-encoded, in part or in whole, once or several times. */
const anySpelling = (text: string): string =>
  decodeAscii(text).replace(/\W/g, (char) => `(?:\\${char}|%[25]*${char.charCodeAt(0).toString(16)})`);

/** One pattern for all secrets of a URL. */
function secretsOf(sessionUrl: string): RegExp {
  const { pathname, search, hash } = new URL(sessionUrl);
  const parts = (search + hash || pathname).split(/[?#&=/]/);
  const secrets = [search.slice(1), hash.slice(1), ...parts];
  const patterns = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).map(anySpelling);

  // Include everything after the path: a truncated secret matches no pattern of its own.
  if (pathname !== '/') patterns.unshift(`${anySpelling(pathname)}(?![\\w-])[^\\s"'<>)\\\\]*`);
  return new RegExp(patterns.join('|') || '(?!)', 'gi');
}

function toPlain(this: unknown, key: string, converted: unknown): unknown {
  const value = (this as Record<string, unknown>)[key];
  // Prototype.js adds a `toJSON` to arrays that encodes them twice.
  if (Array.isArray(value)) return value;
  if (!(value instanceof Error)) return converted;

  const { name, message, stack, cause } = value;
  // oxlint-disable-next-line typescript/no-misused-spread -- its own properties are enough
  return { ...value, name, message, stack, cause };
}

/** Copies JSON values and errors without the secrets of `sessionUrl`. Returns undefined for anything else. */
export function redactor(sessionUrl: string): (value: unknown) => unknown {
  const secrets = secretsOf(sessionUrl);

  return (reported) => attempt(() => JSON.parse(JSON.stringify(reported, toPlain).replace(secrets, '…')));
}

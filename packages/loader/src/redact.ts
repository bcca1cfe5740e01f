// Takes what opens a session out of everything that an SDK said: at most the URL's origin is left.
import { decoded } from './environment.js';

/** Shorter ones are words like any other. */
const SECRET_LENGTH = 6;
/** Of a path's segments: shorter ones are names of routes. */
const SEGMENT_LENGTH = 16;
const MOST_OBJECTS = 10_000;

/** A pattern of a text in any spelling: as it is, URL-encoded in part or in whole, once or several times. */
const spelling = (text: string): string =>
  decoded(text).replace(
    /\W/g,
    (char) => `(?:\\${char}|%(?:25)*${char.charCodeAt(0).toString(16).padStart(2, '0')})`,
  );

/** Makes a copy of anything, cycles and errors with their causes included, that holds nothing of the session. */
export function redactor(sessionUrl: string): (value: unknown) => unknown {
  const { pathname, search, hash } = new URL(sessionUrl);
  const opens = search + hash;
  const segments = pathname.split('/');
  const secrets = [
    search.slice(1),
    hash.slice(1),
    ...opens.split(/[?#&=]/),
    ...segments.filter(({ length }) => !opens || length >= SEGMENT_LENGTH),
  ].filter(({ length }) => length >= SECRET_LENGTH);
  const patterns = secrets.map(spelling);
  // With all that follows it: the rest may have been cut short.
  if (pathname.length > 1) patterns.unshift(`${spelling(pathname)}(?![\\w-])[^\\s"'<>)]*`);
  const pattern = new RegExp(patterns.join('|') || '(?!)', 'gi');
  // A session's id on its own opens nothing where something else does.
  const scrub = (text: string) => (opens && segments.includes(text) ? text : text.replace(pattern, '…'));

  return (said) => {
    const copies = new Map<unknown, unknown>();
    const clean = (value: unknown): unknown => {
      if (typeof value === 'string') return scrub(value);
      if (Object(value) !== value || value instanceof Date) return value;
      if (copies.has(value)) return copies.get(value);
      // Neither the page nor a world without end.
      if (typeof value === 'function' || value instanceof EventTarget || copies.size > MOST_OBJECTS)
        return undefined;
      const source = value as Record<PropertyKey, unknown>;
      const isError = value instanceof Error;
      const copy = (Array.isArray(value) ? [] : isError ? new Error() : {}) as typeof source;
      copies.set(value, copy);
      // Of an error some are its prototype's, and those of a DOMException all.
      const keys = [...Reflect.ownKeys(source), ...(isError ? ['name', 'message', 'stack'] : [])];
      for (const key of keys)
        try {
          copy[typeof key === 'string' ? scrub(key) : key] = clean(source[key]);
        } catch {
          // Whatever a getter throws is not passed on either.
        }
      // What keeps itself to itself, such as a URL, is told in its own words.
      return keys[0] === undefined && `${source}` !== '[object Object]' && !Array.isArray(value)
        ? scrub(`${source}`)
        : copy;
    };
    try {
      return clean(said);
    } catch {
      // Nothing that can be looked at, such as a proxy that was revoked.
      return undefined;
    }
  };
}

// Takes what opens a session out of everything that an SDK said: at most the URL's origin is left.
import { attempt } from './attempt.js';
import { decoded } from './environment.js';

/** Shorter ones are words like any other. */
const SECRET_LENGTH = 6;

/** A pattern of a text in any spelling: as it is, URL-encoded in part or in whole, once or several times. */
const spelling = (text: string): string =>
  decoded(text).replace(/\W/g, (char) => `(\\${char}|%(25)*${char.charCodeAt(0).toString(16)})`);

/** What is to be taken out, as one pattern. */
function secretsOf(sessionUrl: string): RegExp {
  const { pathname, search, hash } = new URL(sessionUrl);
  const opens = search + hash;
  const secrets = [search.slice(1), hash.slice(1), ...(opens || pathname).split(/[?#&=/]/)];
  const patterns = secrets.filter(({ length }) => length >= SECRET_LENGTH).map(spelling);
  // With all that follows it: the rest may have been cut short.
  if (pathname !== '/') patterns.unshift(`${spelling(pathname)}(?![\\w-])[^\\s"'<>)\\\\]*`);
  return new RegExp(patterns.join('|') || '(?!)', 'gi');
}

/** Makes a copy, as plain data, of anything, cycles and errors with their causes included, without the secrets. */
export function redactor(sessionUrl: string): (said: unknown) => unknown {
  const secrets = secretsOf(sessionUrl);
  return (said) => {
    /** What the value that is looked at lies in, each error beside its copy. */
    const around: unknown[] = [];
    function plain(this: unknown, _: string, value: unknown): unknown {
      around.length = around.indexOf(this) + 1;
      // Neither a world without end nor the page itself.
      if (around.includes(value) || value instanceof EventTarget) return undefined;
      let told = value;
      if (value instanceof Error) {
        const { name, message, stack, cause } = value;
        // oxlint-disable-next-line typescript/no-misused-spread -- what it has of its own, and no class
        told = { ...value, name, message, stack, cause };
      }
      around.push(value, told);
      return told;
    }
    // Of what cannot be read nothing is passed on.
    return attempt(() => JSON.parse(JSON.stringify(said, plain).replace(secrets, '…')));
  };
}

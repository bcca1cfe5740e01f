/** Removes keys, secrets and card numbers from what the inspector shows (R-90). */
import { CARD_LENGTHS } from '../../shared/card.js';
import { luhn } from '../../shared/check-card.js';
import { asciiDigits } from '../../processor/rules/typed-number.js';
import type { ServiceConfig } from '../../platform/config/config.js';
import type { Json } from '../../shared/inspector.js';

export const HIDDEN = '…';

/** Fields whose values look like ordinary text. */
const SECRET_FIELD =
  /secret|password|token|authorization|security.?code|verification|cv[cnv]|csc|\b(?:cid|pin)\b/i;
/** Instants in ms have as many digits as some card numbers. */
const INSTANT_FIELD = /(?:At|Until)$/;
/** Shorter keys would match ordinary words. */
const MIN_SECRET = 8;
const MAY_BE_JSON = /^\s*(?:\{|\[\s*["[{\d-])/;
/** Deeper than anything the service reads. */
const MAX_DEPTH = 20;

type SecretConfig = Pick<ServiceConfig, 'apiKeys' | 'businessUnits' | 'sms'>;

export class Redaction {
  readonly #config: () => SecretConfig;
  readonly #more: readonly string[];
  /** All secrets as one pattern, because a config may have thousands (R-91). */
  #known: { readonly of: SecretConfig['businessUnits']; readonly pattern: RegExp } | undefined;

  /** @param config its keys and secrets are hidden wherever they occur, as are the secrets in `more` */
  constructor(config: () => SecretConfig, more: readonly string[]) {
    this.#config = config;
    this.#more = more;
  }

  // Arrow functions, so that they can be passed on.
  readonly text = (text: string): string =>
    text
      .replace(this.#knownSecrets(), HIDDEN)
      // A session secret or an API key has 256 random bits in base64url, to which other characters may be joined.
      .replace(/[\w-]{43,}/g, (word) => (/[A-Z]/.test(word) && /[a-z]/.test(word) ? HIDDEN : word))
      .replace(/\bwhsec_[\w+/=-]+/gi, HIDDEN)
      .replace(/\p{Nd}(?:(?:[^\p{L}\p{N}"%:,]|ー|%20){0,4}\p{Nd}){11,}/gu, (numbers) =>
        holdsCard(asciiDigits(numbers).split(/(?:%20|\D)+/)) ? HIDDEN : numbers,
      );

  /** Removes user name, password and query values from a URL. */
  readonly url = (url: string): string => {
    const { origin, pathname, search } = new URL(url);
    return this.text(`${origin}${pathname}${search === '' ? '' : `?${HIDDEN}`}`);
  };

  /** Like `text`, also of JSON. */
  content(text: string, depth = 0): string {
    return MAY_BE_JSON.test(text) ? this.#json(text, depth) : this.text(text);
  }

  body(value: unknown, depth = 0): Json {
    if (depth > MAX_DEPTH) return HIDDEN;
    if (typeof value === 'string') return this.content(value, depth);
    if (typeof value === 'number') return isCardNumber(value) ? HIDDEN : value;
    if (Array.isArray(value)) return value.map((item) => this.body(item, depth + 1));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [
          this.text(name),
          SECRET_FIELD.test(name) ? HIDDEN : this.#field(name, part, depth),
        ]),
      );
    return typeof value === 'boolean' ? value : null;
  }

  #field(name: string, value: unknown, depth: number): Json {
    return typeof value === 'number' && INSTANT_FIELD.test(name) ? value : this.body(value, depth + 1);
  }

  /** The payload of an event, for example. */
  #json(text: string, depth: number): string {
    try {
      const parsed: unknown = JSON.parse(text);
      const shown = JSON.stringify(this.body(parsed, depth + 1));
      // The text may contain more than what was parsed: values of repeated keys.
      const isSafe = shown === JSON.stringify(parsed) && !SECRET_FIELD.test(text);
      return isSafe ? this.text(text) : shown;
    } catch {
      return HIDDEN;
    }
  }

  #knownSecrets(): RegExp {
    const config = this.#config();
    if (this.#known?.of !== config.businessUnits)
      this.#known = { of: config.businessUnits, pattern: secretsIn(config, this.#more) };
    return this.#known.pattern;
  }
}

function secretsIn({ apiKeys, businessUnits, sms }: SecretConfig, more: readonly string[]): RegExp {
  const receivers = [sms, ...businessUnits.map(({ webhook }) => webhook)];
  const secrets = [
    ...more,
    ...apiKeys.map(({ key = '' }) => key),
    ...receivers.flatMap((receiver) => receiver?.secrets ?? []),
  ]
    .map((secret) => secret.replace(/^whsec_/, ''))
    .filter(({ length }) => length >= MIN_SECRET)
    // In a URL.
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    // One may begin with another.
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => secret.replaceAll(/[^\w]/g, '\\$&'));
  return new RegExp(secrets.join('|') || '(?!)', 'g');
}

const MAX_CARD_DIGITS = Math.max(...CARD_LENGTHS);
const isCard = (digits: string): boolean => CARD_LENGTHS.includes(digits.length) && luhn(digits);

/** JSON rounds longer card numbers, and no amount is as large. */
function isCardNumber(value: number): boolean {
  const size = Math.trunc(Math.abs(value));
  return size > Number.MAX_SAFE_INTEGER || isCard(String(size));
}

function holdsCard(groups: readonly string[]): boolean {
  return groups.some((_, first) => {
    let digits = '';
    for (let place = first; place < groups.length && digits.length < MAX_CARD_DIGITS; place++)
      if (isCard((digits += groups[place]))) return true;
    return false;
  });
}

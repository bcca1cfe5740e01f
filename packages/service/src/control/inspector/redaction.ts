/** Removes keys, secrets and card numbers from what the inspector shows (R-90). */
import { CARD_LENGTHS } from '../../shared/card.js';
import { luhn } from '../../shared/check-card.js';
import type { ServiceConfig } from '../../platform/config/config.js';
import type { Json } from '../../shared/inspector.js';

export const HIDDEN = '…';

/** Fields whose values look like ordinary text. */
const SECRET_FIELD = /secret|password|token|authorization|security.?code|cvc|cvv/i;
/** Shorter keys would match ordinary words. */
const MIN_SECRET = 8;
/** Deeper than anything the service reads. */
const MAX_DEPTH = 20;
/** Amounts and instants in ms are smaller. */
const CARD_FROM = 1e13;

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
      .replace(/\d(?:[^\p{L}\d"%:,]{0,4}\d){11,}/gu, (numbers) =>
        holdsCard(numbers.split(/\D+/)) ? HIDDEN : numbers,
      );

  /** Removes user name, password and query values from a URL. */
  readonly url = (url: string): string => {
    const { origin, pathname, search } = new URL(url);
    return this.text(`${origin}${pathname}${search === '' ? '' : `?${HIDDEN}`}`);
  };

  body(value: unknown, depth = 0): Json {
    if (depth > MAX_DEPTH) return HIDDEN;
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return value >= CARD_FROM && isCard(String(value)) ? HIDDEN : value;
    if (Array.isArray(value)) return value.map((item) => this.body(item, depth + 1));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [
          this.text(name),
          SECRET_FIELD.test(name) ? HIDDEN : this.body(part, depth + 1),
        ]),
      );
    return typeof value === 'boolean' ? value : null;
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

function holdsCard(groups: readonly string[]): boolean {
  return groups.some((_, first) => {
    let digits = '';
    for (let place = first; place < groups.length && digits.length < MAX_CARD_DIGITS; place++)
      if (isCard((digits += groups[place]))) return true;
    return false;
  });
}

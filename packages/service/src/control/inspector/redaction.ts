/** Keeps only fields that the contract names, and no value that may be a secret. */
import { unescape } from 'node:querystring';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { CARD_LENGTHS } from '../../shared/card.js';
import { luhn } from '../../shared/check-card.js';
import { asciiDigits } from '../../processor/rules/typed-number.js';
import type { ServiceConfig } from '../../platform/config/config.js';
import type { Json } from '../../shared/inspector.js';

export const HIDDEN = '…';

/** Fields with long numbers. Elsewhere, a long number may be a bank account. */
const NUMBERS = /Number$|^number$|Identifier$|^Id$|^id$|Id$|Reference$|Key$|^Cursor$/;

const MAX_ITEMS = 100;
const MAX_TEXT_LENGTH = 2_000;
/** Longer than any key, secret or card number with separators. */
const MARGIN = 256;
/** Larger numbers of records may be card numbers. Amounts and instants in ms are smaller. */
const CARD_FROM = 1e13;
/** Shorter keys would match ordinary words. */
const MIN_SECRET = 8;

export class Redaction {
  readonly #config: () => SecretConfig;
  readonly #more: readonly string[];
  #secrets: Secrets | undefined;

  /** @param config its keys and secrets are hidden wherever they occur, as are the secrets in `more` */
  constructor(config: () => SecretConfig, more: readonly string[]) {
    this.#config = config;
    this.#more = more;
  }

  // Arrow functions, so that they can be passed on.
  /** Removes possible card numbers, keys and secrets from a text. */
  readonly text = (text: string): string =>
    redactBeginning(text, this.#currentSecrets(), (cleaned) => cleaned);

  /** Also removes possible bank account numbers, for texts that should contain no long numbers. */
  readonly withoutNumbers = (text: string): string =>
    redactBeginning(text, this.#currentSecrets(), (cleaned) =>
      cleaned.replace(/(?<![\w-])\d{8,17}(?![\w-])/g, HIDDEN),
    );

  /** Removes user name, password and query values from a URL. */
  readonly url = (url: string): string => {
    const { origin, pathname, search } = URL.parse(url) ?? {};
    if (origin === undefined) return this.text(url);
    return this.text(`${origin}${pathname}${search === '' ? '' : `?${HIDDEN}`}`);
  };

  body(value: unknown): Json {
    return this.#reduce(value, API, '');
  }

  value(value: unknown, name: string): Json {
    return this.#reduce(value, RECORD, name);
  }

  #currentSecrets(): Secrets {
    const config = this.#config();
    if (this.#secrets?.of !== config.businessUnits) this.#secrets = secretsIn(config, this.#more);
    return this.#secrets;
  }

  #reduce(value: unknown, fields: Fields, field: string): Json {
    if (typeof value === 'string') {
      if (field === 'payload') return this.#payload(value, fields);
      return NUMBERS.test(field) ? this.text(value) : this.withoutNumbers(value);
    }
    if (typeof value === 'number') {
      const digits = String(Math.abs(value));
      if (!fields.isNumber(field)) return this.#reduce(digits, fields, field) === digits ? value : HIDDEN;
      return Math.abs(value) >= fields.cardFrom && isCard(digits) ? HIDDEN : value;
    }
    if (Array.isArray(value))
      return value.slice(0, MAX_ITEMS).map((item) => this.#reduce(item, fields, field));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .slice(0, MAX_ITEMS)
          .map(([name, part]) => [
            this.withoutNumbers(name),
            fields.isShown(name) ? this.#reduce(part, fields, name) : HIDDEN,
          ]),
      );
    return typeof value === 'boolean' ? value : null;
  }

  /** Redacts an event's payload. Returns it unchanged if it contains no hidden value. */
  #payload(text: string, fields: Fields): string {
    try {
      const parsed: unknown = JSON.parse(text);
      const [all, shown] = [parsed, this.#reduce(parsed, fields, '')].map((value) => JSON.stringify(value));
      return shown === all ? text : (shown ?? HIDDEN);
    } catch {
      return HIDDEN;
    }
  }
}

interface Fields {
  isShown(name: string): boolean;
  /** Whether the field is a number, which may have any digits but those of a card. */
  isNumber(name: string): boolean;
  readonly cardFrom: number;
}

/** Requests and responses. */
const API: Fields = {
  isShown: (name) => apiFields().has(name),
  isNumber: (name) => apiFields().get(name) === true,
  cardFrom: 0,
};

/** Rows, whose fields were chosen before. */
const RECORD: Fields = { isShown: () => true, isNumber: () => true, cardFrom: CARD_FROM };

type SecretConfig = Pick<ServiceConfig, 'apiKeys' | 'businessUnits' | 'sms'>;

/** All secrets as one pattern, because a body has thousands of texts, and a config may have thousands of secrets (R-91). */
interface Secrets {
  readonly of: SecretConfig['businessUnits'];
  readonly pattern: RegExp;
  readonly maxLength: number;
}

function secretsIn({ apiKeys, businessUnits, sms }: SecretConfig, more: readonly string[]): Secrets {
  const receivers = [sms, ...businessUnits.map(({ webhook }) => webhook)].filter((one) => one !== undefined);
  const secrets = [
    ...more,
    ...apiKeys.flatMap(({ key }) => (key === undefined ? [] : [key])),
    ...receivers.flatMap(({ url, secrets: own }) => [...own, ...secretsOfUrl(url)]),
  ]
    .map((secret) => secret.replace(/^whsec_/, ''))
    .filter(({ length }) => length >= MIN_SECRET)
    // In a URL.
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    // One may begin with another.
    .toSorted((a, b) => b.length - a.length);
  const escaped = secrets.map((secret) => secret.replaceAll(/[^\w]/g, '\\$&'));
  return {
    of: businessUnits,
    pattern: new RegExp(escaped.length > 0 ? escaped.join('|') : '(?!)', 'g'),
    maxLength: secrets[0]?.length ?? 0,
  };
}

/** User name, password and query values. */
function secretsOfUrl(url: string): string[] {
  const { username, password, searchParams } = new URL(url);
  const credentials = [username, password].map(unescape);
  // As the service sends them.
  const basic = Buffer.from(credentials.join(':')).toString('base64');
  return [...credentials, basic, ...searchParams.values()];
}

/** Reads only the start (R-91) and drops its end, because a truncated secret would not be recognized. */
function redactBeginning(
  text: string,
  { pattern, maxLength }: Secrets,
  redactMore: (cleaned: string) => string,
): string {
  const margin = Math.max(MARGIN, maxLength);
  const isLong = text.length > MAX_TEXT_LENGTH + margin;
  const cleaned = redactMore(
    withoutSecrets(isLong ? text.slice(0, MAX_TEXT_LENGTH + margin) : text, pattern),
  );
  return (isLong ? cleaned.slice(0, -margin) : cleaned).slice(0, MAX_TEXT_LENGTH);
}

function withoutSecrets(text: string, known: RegExp): string {
  return (
    text
      .replace(known, HIDDEN)
      // A session secret or an API key has 256 random bits in base64url, to which other characters may be joined.
      .replace(/[\w-]{43,}/g, (word) => (/[A-Z]/.test(word) && /[a-z]/.test(word) ? HIDDEN : word))
      .replace(/(#|%(?:25)*23)[\w-]{16,}/g, `$1${HIDDEN}`)
      .replace(/\bwhsec_[\w+/=-]+/gi, HIDDEN)
      .replace(/\p{Nd}(?:(?:[^\p{L}\p{N}"%:,]|ー|%20){0,4}\p{Nd}){11,}/gu, (numbers) =>
        holdsCard(asciiDigits(numbers).split(/(?:%20|\D)+/)) ? HIDDEN : numbers,
      )
  );
}

const MAX_CARD_DIGITS = Math.max(...CARD_LENGTHS);
const isCard = (digits: string): boolean =>
  CARD_LENGTHS.includes(digits.length) && /^\d+$/.test(digits) && luhn(digits);

function holdsCard(groups: readonly string[]): boolean {
  return groups.some((_, first) => {
    let digits = '';
    for (let place = first; place < groups.length && digits.length < MAX_CARD_DIGITS; place++)
      if (isCard((digits += groups[place]))) return true;
    return false;
  });
}

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
}

function isNumber({ type, anyOf = [] }: Schema): boolean {
  return type === 'integer' || type === 'number' || anyOf.some(isNumber);
}

let api: ReadonlyMap<string, boolean> | undefined;

/** The contract's fields, and whether each is a number. */
function apiFields(): ReadonlyMap<string, boolean> {
  if (api) return api;

  const found = new Map<string, boolean>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;

    for (const [name, part] of Object.entries(value)) {
      if (name === 'properties' && typeof part === 'object' && part !== null)
        for (const [property, schema] of Object.entries(part as Record<string, Schema>))
          found.set(property, found.get(property) === true || isNumber(schema));
      visit(part);
    }
  };
  visit(openapi());
  api = found;
  return found;
}

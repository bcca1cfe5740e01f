import { readFileSync } from 'node:fs';
import { MAX_PAYMENT_FIELDS, PAYMENT_METHODS, type PaymentMethod } from '@embedded-sessions/server-types';
import { fieldOf, wordsOf } from '@embedded-sessions/server-types/schemas';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  COLOR_SCHEMES,
  FONTS,
  isAccent,
  MAX_RADIUS,
  type Appearance,
  LOGO_SHAPES,
  isBackground,
  isFontFamily,
  type LogoShape,
} from '../../shared/appearance.js';
import type { ServiceEnvironment } from '../../shared/environment.js';
import { LANGUAGES, matchLanguage, type Language } from '../../shared/languages.js';
import { DEFAULT_COUNTRY } from '../../shared/limits.js';
import type { AddressRange } from '../http/client-address.js';
import { emailKey } from '../../accounts/rules/customer.js';
import { dayIn } from '../../core/day.js';
import { reasonOf, quotable } from '../../core/quotable.js';
import { ServiceError } from '../../core/error.js';
import { COUNTRIES } from '../../core/countries.js';
import { hashKey } from '../ids.js';
import { overrideProblem, REVIEWED, type Overrides } from '../../texts/texts.js';

/** Maximum length of a replaced text. Our longest are a third of it. */
const MAX_MESSAGE = 2_000;

/** A merchant or a part of one, with defaults filled in. */
export interface BusinessUnit {
  slug: string;
  name: string;
  /** IANA time zone of its days, for scheduled payments, AutoPay and the ledger (R-95). */
  timeZone: string;
  /** Who charges accounts enrolled in AutoPay: the service on the due date, or only the merchant (R-106). */
  autopay: 'service' | 'merchant';
  /** Origins of pages that may frame its sessions. If empty, sessions only open as top-level pages. */
  allowedOrigins: string[];
  /** In display order. */
  paymentMethods: PaymentMethod[];
  /** Accepted billing countries of cards, ISO 3166-1 alpha-2, in display order. They decide which postcodes are valid. */
  countries: string[];
  /** Whether payers may change the amounts of charges with an account (R-33, R-59). */
  allowAmountAdjustment: boolean;
  /** Allowed `PaymentFields`. Fields missing from the request become form fields (R-29). */
  paymentFields: {
    key: string;
    label: string;
    labels?: Partial<Record<Language, string>>;
    required: boolean;
  }[];
  agents: { email: string; pos: boolean }[];
  /** `secrets`: newest first. Every secret signs. */
  webhook?: { url: string; secrets: string[] };
  /** `http:`, `https:` or `data:image/…`. */
  logoUrl?: string;
  /** Replaces `logoUrl` on dark pages. */
  logoUrlDark?: string;
  /** A `wordmark` contains the name, so the header omits it. */
  logoShape?: LogoShape;
  /** Page language if the merchant's page requests none (R-70). */
  locale?: string;
  /** Languages of its pages. Default: all; in production, English, `locale` and reviewed languages. */
  languages?: Language[];
  /** Replaced texts by language and key, in ICU MessageFormat. */
  messages?: Overrides;
  /** `http:` or `https:`. `account` is where payers pay and manage AutoPay; the others are at the foot of each page. */
  links?: { account?: string; terms?: string; privacy?: string; help?: string };
  appearance?: Appearance;
  /** Messages to payers (R-104). `from` and `replyTo` override those of the service. */
  email?: { from?: string; replyTo?: string; receipts?: boolean; reminders?: boolean };
}

/** The config file with defaults filled in. */
export interface ServiceConfig {
  businessUnits: BusinessUnit[];
  apiKeys: { key?: string; keyHash?: string; businessUnits: string[] }[];
  /** Limit per API key and process, for all endpoints together. */
  rateLimit: { perSecond: number; burst: number };
  /** Limit per port and process (R-91). */
  maxConnections: number;
  /** Maximum concurrent processor calls per job: in a process, and for a business unit (R-97). */
  processor: { concurrency: number; perBusinessUnit: number };
  /** PostgreSQL only: maximum connections, and the statement timeout in ms. */
  database: { poolSize?: number; statementTimeoutMs?: number };
  /** The operator, as payers know it. Named at the foot of each page. */
  operator?: { name: string };
  /** E-mail to payers (R-104). `smtp` may come from EMBEDDED_SESSIONS_SMTP and may contain a password. */
  email?: { smtp?: string; from: string };
  /** The operator's SMS gateway, which receives a signed POST per message. */
  sms?: { url: string; secrets: string[] };
  /** Proxies whose `X-Forwarded-For` is read (R-100). In the file: ranges in CIDR notation. */
  trustedProxies: AddressRange[];
}

const text = (most: number): z.ZodString => z.string().min(1).max(most);

/** The CLI checks it too, because keys can be issued before the config contains the business unit. */
export const SLUG: { readonly pattern: RegExp; readonly rule: string } = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  rule: 'must be 1 to 100 letters, digits, ".", "_" and "-", the first a letter or digit',
};

/** Longest URL that a database index can hold. */
const MAX_URL_BYTES = 2_000;

const isHttp = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

const http: z.ZodType<string> = z.string().refine(isHttp, 'must be an http: or https: URL');

const email: z.ZodType<string> = z.string().regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');

/** `address@host`, or `Name <address@host>` without special characters in the name. */
const mailbox: z.ZodType<string> = z
  .string()
  .regex(
    /^(?:[^\p{Cc}<>",;:@]{1,100} <[^\s@<>,;:]+@[\w.-]+>|[^\s@<>,;:]+@[\w.-]+)$/u,
    'must be an address, or a name and an address: "Water <bills@water.example>"',
  );

/** Base64, padded or not, that all decoders agree on. */
const WEBHOOK_SECRET =
  /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/;

const MIN_WEBHOOK_SECRET_LENGTH = 'whsec_'.length + 32;

const DUPLICATE = 'duplicates an earlier one';

const color: z.ZodType<string> = z.string().refine(isAccent, 'must be a color such as "#0a5c36"');

const logo: z.ZodType<string> = z
  .string()
  .refine(
    (value) =>
      (isHttp(value) && isWebOrigin(URL.parse(value)?.origin)) || /^data:image\/[a-z+.-]+[;,]/i.test(value),
    'must be an http:, https: or data:image/… URL',
  );

const timeZone: z.ZodType<string> = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone, such as "America/New_York"');

const origin: z.ZodType<string> = z
  .string()
  .refine(isWebOrigin, 'must be an origin: scheme, host and port, such as "https://pay.example.com"');

const country: z.ZodType<string> = z
  .string()
  .refine(
    (code) => COUNTRIES.has(code),
    'must be a country of ISO 3166-1 by its two capital letters, such as "US" or "CA"',
  );

const locale: z.ZodType<string> = z
  .string()
  .refine(
    (value) => matchLanguage(value) !== undefined,
    `must be a language of the pages: ${LANGUAGES.join(', ')}`,
  );

const paymentField: z.ZodType<BusinessUnit['paymentFields'][number]> = z.strictObject({
  key: text(100),
  label: text(200),
  labels: z.partialRecord(z.enum(LANGUAGES), text(200)).exactOptional(),
  required: z.boolean().default(false),
});

const agent: z.ZodType<BusinessUnit['agents'][number]> = z.strictObject({
  email,
  pos: z.boolean().default(false),
});

const appearance: z.ZodType<Appearance> = z.strictObject({
  colorScheme: z.enum([...COLOR_SCHEMES, 'auto']).exactOptional(),
  accent: color.exactOptional(),
  accentDark: color.exactOptional(),
  radius: z.int().min(0).max(MAX_RADIUS).exactOptional(),
  font: z.enum(FONTS).exactOptional(),
  background: z
    .string()
    .refine(isBackground, 'must be a color such as "#ffffff", or "transparent"')
    .exactOptional(),
  text: color.exactOptional(),
  border: color.exactOptional(),
  fontFamily: z
    .string()
    .refine(isFontFamily, 'must be names of fonts such as "Inter, sans-serif"')
    .exactOptional(),
  showHeader: z.boolean().exactOptional(),
});

/**
 * Production also requires `https:` URLs, long webhook secrets and hashed API keys. Checks with `when` also run if
 * parts of their value are wrong, so that all problems are reported together.
 */
function schemaFor(production: boolean): z.ZodType<ServiceConfig> {
  const secure = (url: z.ZodType<string>): z.ZodType<string> =>
    url.refine(
      (value) => !production || !isInsecure(value),
      'production requires https:, or http: on this machine',
    );

  const webhookSecrets: z.ZodType<string[]> = z
    .array(
      z
        .string()
        .regex(WEBHOOK_SECRET, 'must be "whsec_" and a secret in base64')
        .refine(
          (secret) => !production || secret.length >= MIN_WEBHOOK_SECRET_LENGTH,
          'production needs at least 24 bytes in base64',
        ),
    )
    .min(1);

  // Known when `apiKeys` is checked, because `businessUnits` comes first.
  const slugs = new Set<string>();

  const businessUnit: z.ZodType<BusinessUnit> = z.strictObject({
    slug: z
      .string()
      .regex(SLUG.pattern, SLUG.rule)
      .refine((slug) => isNew(slug, slugs), DUPLICATE),
    name: text(200),
    timeZone: timeZone.default('UTC'),
    autopay: z.enum(['service', 'merchant']).default('service'),
    allowedOrigins: z.array(secure(origin)).default([]),
    paymentMethods: distinct(z.array(z.enum(PAYMENT_METHODS))).default([...PAYMENT_METHODS]),
    countries: distinct(z.array(country).min(1)).default([DEFAULT_COUNTRY]),
    allowAmountAdjustment: z.boolean().default(false),
    paymentFields: distinct(z.array(paymentField).max(MAX_PAYMENT_FIELDS), 'key').default([]),
    // R-25: agents are found by normalized e-mail address.
    agents: distinct(z.array(agent), 'email', (email) => emailKey(String(email))).default([]),
    webhook: z
      .strictObject({
        url: secure(http).refine(
          (value) => Buffer.byteLength(value) <= MAX_URL_BYTES,
          `must be at most ${MAX_URL_BYTES} bytes long`,
        ),
        secrets: webhookSecrets,
      })
      .exactOptional(),
    logoUrl: secure(logo).exactOptional(),
    logoUrlDark: secure(logo).exactOptional(),
    logoShape: z.enum(LOGO_SHAPES).exactOptional(),
    locale: locale.exactOptional(),
    languages: z.array(z.enum(LANGUAGES)).min(1).exactOptional(),
    messages: z
      .partialRecord(z.enum(LANGUAGES), z.record(text(100), text(MAX_MESSAGE)))
      .superRefine(checkOverrides, { when: ({ value }) => Object(value) === value })
      .exactOptional(),
    links: z
      .strictObject({
        account: secure(http).exactOptional(),
        terms: secure(http).exactOptional(),
        privacy: secure(http).exactOptional(),
        help: secure(http).exactOptional(),
      })
      .exactOptional(),
    appearance: appearance.exactOptional(),
    email: z
      .strictObject({
        from: mailbox.exactOptional(),
        replyTo: mailbox.exactOptional(),
        receipts: z.boolean().exactOptional(),
        reminders: z.boolean().exactOptional(),
      })
      .exactOptional(),
  });

  const apiKey: z.ZodType<ServiceConfig['apiKeys'][number]> = z
    .strictObject({
      key: z
        .string()
        .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters with no space')
        .refine(() => !production, 'production accepts no plain key: give its "keyHash" instead')
        .exactOptional(),
      keyHash: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 lower-case hex digits')
        .exactOptional(),
      businessUnits: z
        .array(z.string().refine((slug) => slugs.has(slug), 'no business unit has this slug'))
        .min(1),
    })
    .refine((entry) => (entry.key === undefined) !== (entry.keyHash === undefined), {
      error: 'needs exactly one of "key" and "keyHash"',
      when: ({ value }) => Object(value) === value,
    });

  return z.strictObject({
    businessUnits: z.array(businessUnit).default([]),
    // One entry per key, because the last one would decide what it can use.
    apiKeys: distinct(z.array(apiKey), undefined, hashOf).default([]),
    rateLimit: z
      .strictObject({
        perSecond: z.number().positive().default(200),
        burst: z.int().positive().default(1000),
      })
      .prefault({}),
    maxConnections: z.int().min(10).max(100_000).default(500),
    processor: z
      .strictObject({
        concurrency: z.int().positive().max(1_000).default(32),
        perBusinessUnit: z.int().positive().max(1_000).default(8),
      })
      .prefault({}),
    database: z
      .strictObject({
        poolSize: z.int().positive().max(1_000).exactOptional(),
        // A longer timeout would outlast the request itself (R-61).
        statementTimeoutMs: z.int().positive().max(10_000).exactOptional(),
      })
      .default({}),
    operator: z.strictObject({ name: text(200) }).exactOptional(),
    email: z
      .strictObject({
        smtp: z.string().refine(isSmtp, 'must be an smtp: or smtps: URL').exactOptional(),
        from: mailbox,
      })
      .exactOptional(),
    sms: z.strictObject({ url: secure(http), secrets: webhookSecrets }).exactOptional(),
    trustedProxies: z
      .array(
        z
          .string()
          .refine(ipaddr.isValidCIDR, 'must be a range of addresses in CIDR notation, such as "10.0.0.0/8"')
          .transform((range) => ipaddr.parseCIDR(range)),
      )
      .default([]),
  });
}

/** Without wildcards and characters that have a meaning in a Content-Security-Policy. */
const ORIGIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/;

/** Whether a value is the origin of a web page, as browsers write it. */
export function isWebOrigin(value: unknown): boolean {
  return typeof value === 'string' && ORIGIN.test(value) && URL.parse(value)?.origin === value;
}

export function unitOf(
  { businessUnits }: Pick<ServiceConfig, 'businessUnits'>,
  slug: string | undefined,
): BusinessUnit | undefined {
  return businessUnits.find((unit) => unit.slug === slug);
}

/**
 * The file's SMTP server takes precedence over the environment's. Production needs one if it has e-mail. @throws
 * ServiceError
 */
export function withSmtp(
  config: ServiceConfig,
  url: string | undefined,
  env: ServiceEnvironment,
): ServiceConfig {
  if (config.email === undefined) return config;

  const smtp = config.email.smtp ?? url;
  if (smtp === undefined && env !== 'production') return config;
  if (smtp === undefined || !isSmtp(smtp))
    throw new ServiceError(
      'invalid_config',
      'email: give "smtp" or EMBEDDED_SESSIONS_SMTP, an smtp: or smtps: URL of your mail server.',
    );
  return { ...config, email: { ...config.email, smtp: env === 'production' ? withTls(smtp) : smtp } };
}

/**
 * Requires TLS. Otherwise, anyone who strips STARTTLS from the server's response can read the password and payers'
 * receipts.
 */
function withTls(smtp: string): string {
  const url = new URL(smtp);
  const { protocol, hostname, searchParams } = url;
  if (protocol === 'smtps:' || LOOPBACK.test(hostname) || searchParams.has('requireTLS')) return smtp;
  searchParams.set('requireTLS', 'true');
  return url.href;
}

function isSmtp(url: string): boolean {
  return /^smtps?:$/.test(URL.parse(url)?.protocol ?? '');
}

/**
 * Reads and checks a config file.
 * @throws ServiceError `invalid_config` with every problem and its path.
 */
export function readConfig(file: string, env: ServiceEnvironment): ServiceConfig {
  const name = quotable(file, 'The --config file');
  let content: string;
  try {
    // Windows editors write a byte order mark.
    content = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new ServiceError('invalid_config', `${name} cannot be read: ${reasonOf(cause, file)}`, { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    // The parser's message would quote the file, including keys.
    const before = /at position (\d+)/.exec((error as Error).message)?.[1];
    const line = before === undefined ? '' : `: look at line ${content.slice(0, +before).split('\n').length}`;
    throw new ServiceError('invalid_config', `${name} is not JSON${line}.`);
  }
  return parseConfig(value, env, name);
}

/** Like {@link readConfig}, for a value that is already parsed. */
export function parseConfig(value: unknown, env: ServiceEnvironment, name = 'config'): ServiceConfig {
  const result = schemaFor(env === 'production').safeParse(value);
  const problems = (result.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${pathOf([...issue.path, key])}: unknown setting`)
      : [`${pathOf(issue.path)}: ${wordsOf(issue, value)}`],
  );
  if (!result.success)
    throw new ServiceError('invalid_config', [`${name} is invalid:`, ...problems].join('\n  '));
  return env === 'production' ? withReviewedLanguages(result.data) : result.data;
}

/** In production, removes unreviewed languages that a business unit doesn't list. */
function withReviewedLanguages(config: ServiceConfig): ServiceConfig {
  const businessUnits = config.businessUnits.map((unit) => {
    const named = matchLanguage(unit.locale ?? '');
    const offered = LANGUAGES.filter((language) => language === named || REVIEWED.includes(language));
    return { languages: offered, ...unit };
  });
  return { ...config, businessUnits };
}

/** Rejects duplicates: items with the same `keyOf(item)` or `keyOf(item[field])`. Other checks report wrong types. */
function distinct<List extends z.ZodType<readonly unknown[]>>(
  list: List,
  field?: string,
  keyOf = (value: unknown): unknown => value,
): List {
  return list.superRefine(
    (items, context) => {
      const seen = new Set<unknown>();
      for (const [index, item] of items.entries()) {
        const key = keyOf(field === undefined ? item : Object(item)[field]);
        if (typeof key === 'string' && !isNew(key, seen))
          context.addIssue({
            code: 'custom',
            path: field === undefined ? [index] : [index, field],
            message: DUPLICATE,
          });
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  );
}

function isNew(value: unknown, seen: Set<unknown>): boolean {
  const isKnown = seen.has(value);
  seen.add(value);
  return !isKnown;
}

function checkOverrides(
  messages: Partial<Record<Language, Record<string, unknown>>>,
  context: z.RefinementCtx,
): void {
  for (const language of LANGUAGES)
    for (const [key, message] of Object.entries(messages[language] ?? {})) {
      const problem = typeof message === 'string' ? overrideProblem(language, key, message) : null;
      if (problem !== null) context.addIssue({ code: 'custom', path: [language, key], message: problem });
    }
}

function hashOf(entry: unknown): unknown {
  const { key, keyHash } = Object(entry) as Record<string, unknown>;
  return typeof key === 'string' ? hashKey(key) : keyHash;
}

/** True for `http:` URLs that leave the machine. */
export function isInsecure(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {};
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/** Loopback hosts as `URL` normalizes them. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

function pathOf(path: readonly PropertyKey[]): string {
  return fieldOf(path.map(shownPart)) || '(top level)';
}

function shownPart(part: PropertyKey): PropertyKey {
  return typeof part !== 'string' || /^[A-Za-z]+(?:[.-][A-Za-z\d]{1,24})*$/.test(part) ? part : '…';
}

function isTimeZone(value: string): boolean {
  // Intl also accepts offsets such as "+02:00", which ignore daylight saving time.
  if (!/^[A-Za-z]/.test(value)) return false;

  try {
    // Caches the format, so that a reload doesn't create one for each of thousands of business units.
    dayIn(0, value);
    return true;
  } catch {
    return false;
  }
}

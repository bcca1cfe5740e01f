/** Zod schemas of the contract's single values, each with the error code for invalid values. */
import { z } from 'zod';
import type { FieldErrorCode } from './envelope.js';
import {
  ADDRESS_MAX_LENGTH,
  IDENTIFIER_MAX_LENGTH,
  LINE_MAX_LENGTH,
  MAX_PAYMENT_FIELDS,
  META_MAX_DEPTH,
  URL_MAX_LENGTH,
} from './flows.js';
import { isJsonObject, type JsonObject, lengthOf } from './rules.js';
import type { CustomMeta, Normalized, PaymentSessionRequest } from './session.js';

/** Metadata that Zod can't derive from the schemas: component names, descriptions, limits. */
export const registry: z.core.$ZodRegistry<Record<string, unknown> & { id?: string }> = z.registry();

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? SameKeys<A, B> : false) : false;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- comparing identity needs two uses of T
type SameKeys<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The keys that only one of the types has, or that have different types. */
type DifferentKeys<A, B> = {
  [K in keyof A | keyof B]-?: Same<Pick<A, K & keyof A>, Pick<B, K & keyof B>> extends true ? never : K;
}[keyof A | keyof B];

/** The schema. If its output differs from the interface, a text with the keys, which the compiler's message quotes. */
type Checked<Schema, Output, T> =
  Same<Output, T> extends true
    ? Schema
    : `The schema and its interface differ in ${DifferentKeys<Output, T> & string}`;

/** Compiles only if the schema's output equals the interface: the same keys with the same types. */
export const schemaOf =
  <T>(): (<S extends z.ZodType>(schema: Checked<S, z.output<S>, T>) => z.ZodType<T>) =>
  (schema) =>
    schema as unknown as z.ZodType<T>;

/**
 * An object's schema and its name in the OpenAPI document, with the same guarantee as {@link schemaOf}. The interface is
 * that of the annotation.
 *
 * @example
 * const pair: z.ZodType<Pair> = objectOf('Pair')({ a: z.string() });
 */
export const objectOf =
  (id: string, description?: string) =>
  <T, S extends z.ZodRawShape>(shape: Checked<S, z.output<z.ZodObject<S>>, T>): z.ZodType<T> =>
    component(
      z.object(shape as z.ZodRawShape) as unknown as z.ZodType<T>,
      id,
      description ? { description } : {},
    );

type Keys<U> = U extends unknown ? keyof U : never;
type ValueOf<U, K extends PropertyKey> = U extends { [P in K]?: infer V } ? Exclude<V, undefined> : never;
/** A union of requests as the single object that a schema reads. */
type Merged<U> = { [K in Keys<U>]: ValueOf<U, K> };
type Present<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/** Like {@link schemaOf} for a union: the schema has the keys of all members. `checkPaymentRules` distinguishes them. */
export const mergedSchemaOf =
  <T>(): (<S extends z.ZodType>(schema: Checked<S, Present<z.output<S>>, Merged<T>>) => z.ZodType<T>) =>
  (schema) =>
    schema as unknown as z.ZodType<T>;

/** Names a schema for the OpenAPI document. */
export const component = <T>(
  schema: z.ZodType<T>,
  id: string,
  extra: Record<string, unknown> = {},
): z.ZodType<T> => schema.register(registry, { id, ...extra });

/** An optional field. `null` means the same as omitting it. */
export const optional = <T>(schema: z.ZodType<T>): z.ZodOptional<z.ZodType<T>> =>
  schema.nullish().overwrite((value) => value ?? undefined) as unknown as z.ZodOptional<z.ZodType<T>>;

const code = (name: FieldErrorCode, error: string) => ({ params: { code: name }, error });

/** False for NUL and lone surrogates, which have no meaning in text and which some databases can't store. */
const isStorable = (value: string): boolean => !value.includes('\0') && !/\p{Surrogate}/u.test(value);

const STORABLE = code('invalid', 'must not contain NUL or half a character');

export const text: z.ZodString = z.string().refine(isStorable, STORABLE);

/**
 * Without line breaks and other control characters (NUL is refused by {@link text}), so that it fits a mail header, a
 * statement, a form and a terminal.
 */
const isLine = (value: string): boolean => !/[\p{Cc}\u2028\u2029]/u.test(value.replaceAll('\0', ''));

/**
 * Whether a text has only white space and characters that Unicode says to ignore, such as direction marks.
 *
 * @example
 * isBlank(' \u200b'); // true
 */
export const isBlank = (value: string): boolean => /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(value);

const notBlank = (schema: z.ZodString, name: FieldErrorCode = 'required') =>
  schema.refine((value) => !isBlank(value), code(name, 'must not be blank'));

const atMost = (schema: z.ZodString, maxLength: number) =>
  schema
    .refine(
      (value) => lengthOf(value) <= maxLength,
      code('too_long', `takes at most ${maxLength} characters`),
    )
    .register(registry, { maxLength });

export const requiredText: z.ZodString = notBlank(text).register(registry, { minLength: 1 });

/** Short enough for an index, and for rows that are read by the hundred. */
export const shortText: z.ZodString = atMost(text, IDENTIFIER_MAX_LENGTH);

const oneLine = text.refine(isLine, code('invalid', 'must be one line without control characters'));

export const identifier: z.ZodString = atMost(oneLine, IDENTIFIER_MAX_LENGTH);

/** A blank one, such as an empty CHAR(n) column, means no sub-account. Otherwise its account would count twice. */
export const subAccountNumber: z.ZodString = identifier
  .overwrite((value) => (isBlank(value) ? '' : value))
  .register(registry, { maxLength: IDENTIFIER_MAX_LENGTH });

const REQUIRED_IDENTIFIER = { minLength: 1, maxLength: IDENTIFIER_MAX_LENGTH };

export const requiredIdentifier: z.ZodString = notBlank(identifier).register(registry, REQUIRED_IDENTIFIER);

/** Must not be blank, even if optional, because two blank references would conflict. */
export const reference: z.ZodString = notBlank(identifier, 'invalid').register(registry, REQUIRED_IDENTIFIER);

/** A name or the text on a statement. */
export const line: z.ZodString = atMost(oneLine, LINE_MAX_LENGTH);

export const requiredLine: z.ZodString = notBlank(line).register(registry, {
  minLength: 1,
  maxLength: LINE_MAX_LENGTH,
});

export const addressLine: z.ZodString = atMost(text, ADDRESS_MAX_LENGTH);

/** Without invisible characters and those that separate addresses in a mail header. */
const EMAIL = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:".\p{C}]+(?:\.[^\s@<>()[\]\\,;:".\p{C}]+)*$/u;

/** Lenient, because only a mail server knows which addresses exist. Trimmed, as in comparisons (D-6). */
export const email: z.ZodString = atMost(notBlank(text), IDENTIFIER_MAX_LENGTH)
  .refine((value) => isBlank(value) || EMAIL.test(value.trim()), code('invalid', 'must be an e-mail address'))
  .register(registry, { minLength: 3, maxLength: IDENTIFIER_MAX_LENGTH });

const safeInteger = (
  minimum: number,
  maximum: number,
  error: string,
  description: string,
): z.ZodType<number> =>
  z
    .number()
    .refine(
      (value) => Number.isSafeInteger(value) && value >= minimum && value <= maximum,
      code('invalid', error),
    )
    .register(registry, { description, type: 'integer', minimum, maximum });

// Avoids z.int(): if it refuses a value, Zod skips the rules for the whole request.
const centsAtLeast = (minimum: number, error: string): z.ZodType<number> =>
  safeInteger(minimum, Number.MAX_SAFE_INTEGER, error, 'Integer cents.');

export const cents: z.ZodType<number> = centsAtLeast(Number.MIN_SAFE_INTEGER, 'must be integer cents');

export const positiveCents: z.ZodType<number> = centsAtLeast(1, 'must be integer cents, at least 1');

export const count = (maximum: number): z.ZodType<number> =>
  safeInteger(1, maximum, `must be an integer from 1 to ${maximum}`, 'A count.');

const TIME = String.raw`T(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?`;
const DATE_OR_DATE_TIME = new RegExp(`${z.regexes.date.source.replace(/\$$/, '')}(?:${TIME})?$`);

/** An ISO 8601 date or date-time. The result is the date as written, regardless of time and offset. */
export const day: z.ZodType<string> = z
  .string()
  .regex(DATE_OR_DATE_TIME, 'must be an ISO 8601 date, such as 2026-11-30')
  .overwrite((value) => value.slice(0, 10))
  .register(registry, {
    description: 'ISO 8601 date. For a date-time, the service uses the date as written.',
  });

const dateFormats = [z.iso.datetime({ offset: true }), z.iso.date()];

/** An ISO 8601 day (from midnight UTC), or an instant with its offset. */
export const dayOrInstant: z.ZodString = z
  .string()
  .refine(
    (value) => dateFormats.some((format) => format.safeParse(value).success),
    code('invalid', 'must be an ISO 8601 instant or day, such as 2026-11-30T12:00:00Z or 2026-11-30'),
  )
  .register(registry, { anyOf: [{ format: 'date-time' }, { format: 'date' }] });

const url = z.url({ protocol: z.regexes.httpProtocol });

/** Measured before it is parsed, because some versions of Node take seconds to parse a host of 240 KB. */
export const webUrl: z.ZodType<string> = atMost(text.trim(), URL_MAX_LENGTH)
  .refine(
    // The parser drops line breaks and tabs.
    (value) => value.length > URL_MAX_LENGTH || (isLine(value) && url.safeParse(value).success),
    code('invalid', 'must be an absolute http: or https: URL'),
  )
  .register(registry, {
    description: 'Absolute http: or https: URL.',
    format: 'uri',
    pattern: '^[hH][tT][tT][pP][sS]?://',
    maxLength: URL_MAX_LENGTH,
  });

export const instant: z.ZodType<string> = z.iso.datetime();

export const slug: z.ZodString = notBlank(z.string()).register(registry, {
  description: 'Slug of the business unit, issued with the API key.',
  minLength: 1,
});

/** False for nesting too deep for `JSON.stringify`, and for numbers that JSON can't represent (`1e400`). */
const isStorableJson = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;

  if (depth >= META_MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((child) => isStorableJson(child, depth + 1));
  // `Object.values` takes twice as long for thousands of keys.
  return Object.keys(value).every((key) =>
    isStorableJson((value as Record<string, unknown>)[key], depth + 1),
  );
};

const STORABLE_JSON = code(
  'invalid',
  `must be nested at most ${META_MAX_DEPTH} deep and hold numbers JSON can hold`,
);

/**
 * An object that is passed on unchanged, including an own `__proto__`. Without `abort: false`, an invalid value would make
 * Zod skip the rules for the whole request.
 */
const jsonObject = <T extends JsonObject>() =>
  z.custom<T>(isJsonObject, { ...code('invalid', 'must be an object'), abort: false });

export const customMeta: z.ZodType<CustomMeta> = jsonObject<CustomMeta>()
  .refine((meta) => !isJsonObject(meta) || isStorableJson(meta), STORABLE_JSON)
  .register(registry, {
    description: 'Any key/value pairs; returned unchanged by webhooks, query and SDK events.',
    type: 'object',
    additionalProperties: true,
  });

type FieldValues = NonNullable<Normalized<PaymentSessionRequest>['PaymentFields']>;

const isFieldValue = (value: unknown): boolean =>
  value === null || ['string', 'boolean', 'undefined'].includes(typeof value) || Number.isFinite(value);

/** Checking thousands of keys would take longer than everything else. */
const hasTooMany = (fields: object): boolean => Object.keys(fields).length > MAX_PAYMENT_FIELDS;

const withoutNulls = (fields: FieldValues): FieldValues =>
  isJsonObject(fields) && !hasTooMany(fields) && Object.values<unknown>(fields).includes(null)
    ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
    : fields;

export const paymentFields: z.ZodType<FieldValues> = jsonObject<FieldValues>()
  .superRefine((fields, context) => {
    if (!isJsonObject(fields)) return;
    if (hasTooMany(fields)) {
      context.addIssue({
        code: 'custom',
        params: { code: 'too_many' },
        message: `takes at most ${MAX_PAYMENT_FIELDS} keys`,
      });
      return;
    }

    for (const [key, value] of Object.entries(fields)) {
      if (isFieldValue(value)) continue;

      context.addIssue({
        code: 'custom',
        path: [key],
        params: { code: 'invalid' },
        message: 'must be a string, a number, or true or false',
      });
    }
  })
  .overwrite(withoutNulls)
  .register(registry, {
    description: 'Values for fields that the operator configured; other keys are refused.',
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    maxProperties: MAX_PAYMENT_FIELDS,
  });

/** Maximum number of items in any list of a request, because each takes time to check. */
export const MAX_ITEMS = 100;

// Avoids min(1), which would report a second problem for a string.
export const oneOrMore = <T>(item: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z
    .array(item)
    .refine((items) => items.length > 0, code('too_few', 'needs at least 1 item'))
    .refine((items) => items.length <= MAX_ITEMS, code('too_many', `takes at most ${MAX_ITEMS} items`))
    .register(registry, { minItems: 1, maxItems: MAX_ITEMS });

/** A list whose length `checkPaymentRules` checks. These limits are only for the OpenAPI document. */
export const listOf = <T>(item: z.ZodType<T>, minItems: number, maxItems: number): z.ZodType<readonly T[]> =>
  z.array(item).register(registry, { minItems, maxItems });

/** The keys of a record, as a list for `z.enum`. */
export const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): [K, ...K[]] =>
  Object.keys(record) as [K, ...K[]];

/** Known values, or any other that an operator adds. */
export const known = <const V extends string>(values: readonly [V, ...V[]]): z.ZodType<V | (string & {})> =>
  z.union([z.enum(values), z.string() as unknown as z.ZodType<string & {}>]);

/** Problems of custom fields in one account. A request may have thousands of them. */
const MAX_CUSTOM_PROBLEMS = 10;

/** An object with known fields and any custom ones that can be kept. */
export const withCustomFields = <S extends z.ZodRawShape>(
  fields: S,
): z.ZodObject<S, z.core.$catchall<z.ZodUnknown>> =>
  z
    .object(fields)
    .catchall(z.unknown())
    .superRefine(
      (object: unknown, context) => {
        // The second check is fast, and almost always enough.
        if (!isJsonObject(object) || isStorableJson(object, -1)) return;

        const refused = Object.entries(object).filter(
          ([key, value]) => !Object.hasOwn(fields, key) && !isStorableJson(value),
        );
        for (const [key] of refused.slice(0, MAX_CUSTOM_PROBLEMS))
          context.addIssue({
            code: 'custom',
            path: [key],
            params: STORABLE_JSON.params,
            message: STORABLE_JSON.error,
          });
      },
      // Even if known fields are invalid.
      { when: () => true },
    );

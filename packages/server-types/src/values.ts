/** Single values of the contract as Zod schemas, each with the code that its refusal carries. */
import { z } from 'zod';
import type { FieldErrorCode } from './envelope.js';
import { ADDRESS_MAX_LENGTH, IDENTIFIER_MAX_LENGTH, META_MAX_DEPTH } from './flows.js';
import { type Bag, characters, isBag } from './rules.js';
import type { CustomMeta, NonEmptyList, PaymentSessionRequest } from './session.js';

/** What JSON Schema cannot infer from the schemas: names of components, descriptions, limits. */
export const registry: z.core.$ZodRegistry<Record<string, unknown> & { id?: string }> = z.registry();

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? SameKeys<A, B> : false) : false;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- two uses of T are what compares identity
type SameKeys<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only where the schema's output is the interface itself: no key more, less, or of another type. */
export const exactly =
  <T>(): (<S extends z.ZodType>(schema: Same<z.output<S>, T> extends true ? S : never) => z.ZodType<T>) =>
  (schema) =>
    schema as unknown as z.ZodType<T>;

type Keys<U> = U extends unknown ? keyof U : never;
type ValueOf<U, K extends PropertyKey> = U extends { [P in K]?: infer V } ? Exclude<V, undefined> : never;
/** A union of requests as the one object that a schema reads. */
type Merged<U> = { [K in Keys<U>]: ValueOf<U, K> };
type Present<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/** As {@link exactly}, for a union: each key of each member; which keys exclude each other is the rules' business. */
export const exactlyMerged =
  <T>(): (<S extends z.ZodType>(
    schema: Same<Present<z.output<S>>, Merged<T>> extends true ? S : never,
  ) => z.ZodType<T>) =>
  (schema) =>
    schema as unknown as z.ZodType<T>;

/** Names a schema for the OpenAPI document. */
export const component = <T>(
  schema: z.ZodType<T>,
  id: string,
  extra: Record<string, unknown> = {},
): z.ZodType<T> => schema.register(registry, { id, ...extra });

const code = (name: FieldErrorCode, error: string) => ({ params: { code: name }, error });

/** NUL and lone surrogates cannot be stored by every engine, and mean nothing to a reader. */
const storable = (value: string): boolean => !value.includes('\0') && !/\p{Surrogate}/u.test(value);
const STORABLE = code('invalid', 'must not contain NUL or half a character');
export const text: z.ZodString = z.string().refine(storable, STORABLE);
const notBlank = (schema: z.ZodString, name: FieldErrorCode = 'required') =>
  schema.refine((value) => value.trim() !== '', code(name, 'must not be blank'));
const atMost = (schema: z.ZodString, most: number) =>
  schema
    .refine((value) => characters(value) <= most, code('too_long', `takes at most ${most} characters`))
    .register(registry, { maxLength: most });

export const requiredText: z.ZodString = notBlank(text).register(registry, { minLength: 1 });
export const identifier: z.ZodString = atMost(notBlank(text), IDENTIFIER_MAX_LENGTH).register(registry, {
  minLength: 1,
  maxLength: IDENTIFIER_MAX_LENGTH,
});
/** May be left out, but not blank: two blank ones would be the same. */
export const reference: z.ZodString = atMost(notBlank(text, 'invalid'), IDENTIFIER_MAX_LENGTH).register(
  registry,
  { minLength: 1, maxLength: IDENTIFIER_MAX_LENGTH },
);
export const optionalIdentifier: z.ZodString = atMost(text, IDENTIFIER_MAX_LENGTH);
/** The caller's own words, which an index or a statement may hold. */
export const shortText: z.ZodString = atMost(text, IDENTIFIER_MAX_LENGTH);
export const addressLine: z.ZodString = atMost(text, ADDRESS_MAX_LENGTH);
/** Deliberately lax: only the mail server knows which addresses exist. Compared trimmed (D-6), so read so too. */
export const email: z.ZodString = atMost(notBlank(text), IDENTIFIER_MAX_LENGTH)
  .refine(
    (value) => value.trim() === '' || /^[^\s@]+@[^\s@]+$/.test(value.trim()),
    code('invalid', 'must be an e-mail address'),
  )
  .register(registry, { minLength: 3, maxLength: IDENTIFIER_MAX_LENGTH });
const safeInteger = (least: number, most: number, wanted: string, description: string): z.ZodType<number> =>
  z
    .number()
    .refine(
      (value) => Number.isSafeInteger(value) && value >= least && value <= most,
      code('invalid', wanted),
    )
    .register(registry, {
      description,
      type: 'integer',
      minimum: least,
      maximum: most,
    });
// Not z.int(): its refusal would keep the rules of the whole request from being told as well.
const centsFrom = (least: number, wanted: string): z.ZodType<number> =>
  safeInteger(least, Number.MAX_SAFE_INTEGER, wanted, 'Integer cents.');
export const cents: z.ZodType<number> = centsFrom(Number.MIN_SAFE_INTEGER, 'must be integer cents');
export const positiveCents: z.ZodType<number> = centsFrom(1, 'must be integer cents, at least 1');
export const count = (most: number): z.ZodType<number> =>
  safeInteger(1, most, `must be an integer from 1 to ${most}`, 'How many.');
export const day: z.ZodType<string> = z.iso.date();
const moments = [z.iso.datetime({ offset: true }), day];
/** An ISO 8601 day, which begins at midnight UTC, or an instant with its zone. */
export const dayOrInstant: z.ZodString = z
  .string()
  .refine(
    (value) => moments.some((moment) => moment.safeParse(value).success),
    code('invalid', 'must be an ISO 8601 instant or day, such as 2026-11-30T12:00:00Z or 2026-11-30'),
  )
  .register(registry, { anyOf: [{ format: 'date-time' }, { format: 'date' }] });
export const webUrl: z.ZodType<string> = z
  .url({ protocol: z.regexes.httpProtocol })
  .refine(storable, STORABLE)
  .register(registry, { description: 'Absolute http: or https: URL.', pattern: '^[hH][tT][tT][pP][sS]?://' });
export const instant: z.ZodType<string> = z.iso.datetime();
export const slug: z.ZodString = notBlank(z.string()).register(registry, {
  description: 'Slug of the business unit, issued with the API key.',
  minLength: 1,
});

/** Deeper than `JSON.stringify` can write back, or a number that JSON cannot hold (`1e400`): not kept, so refused. */
const keepable = (root: unknown): boolean => {
  const todo: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = todo.pop(); item !== undefined; item = todo.pop()) {
    if (typeof item.value === 'number' && !Number.isFinite(item.value)) return false;
    if (typeof item.value !== 'object' || item.value === null) continue;
    if (item.depth >= META_MAX_DEPTH) return false;
    for (const value of Object.values(item.value)) todo.push({ value, depth: item.depth + 1 });
  }
  return true;
};
const KEEPABLE = code(
  'invalid',
  `must be nested at most ${META_MAX_DEPTH} deep and hold numbers JSON can hold`,
);

/**
 * An object that is passed on as it is, own `__proto__` included. Without `abort: false` another value would keep the
 * rules of the whole request from being asked.
 */
const bag = <T extends Bag>() =>
  z.custom<T>(isBag, { ...code('invalid', 'must be an object'), abort: false });
export const customMeta: z.ZodType<CustomMeta> = bag<CustomMeta>()
  .refine((meta) => !isBag(meta) || keepable(meta), KEEPABLE)
  .register(registry, {
    description: 'Any key/value pairs; returned unchanged by webhooks, query and SDK events.',
    type: 'object',
    additionalProperties: true,
  });
type GivenFields = NonNullable<PaymentSessionRequest['PaymentFields']>;
export const paymentFields: z.ZodType<GivenFields> = bag<GivenFields>()
  .superRefine((fields, context) => {
    if (!isBag(fields)) return;
    for (const [key, value] of Object.entries(fields)) {
      if (['string', 'boolean', 'undefined'].includes(typeof value) || Number.isFinite(value)) continue;
      context.addIssue({
        code: 'custom',
        path: [key],
        params: { code: 'invalid' },
        message: 'must be a string, a number, or true or false',
      });
    }
  })
  .register(registry, {
    description: 'Values for fields that the operator configured; another key is refused.',
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  });

// Not min(1): it measures a string too, which is told already that it is no array.
export const oneOrMore = <T>(item: z.ZodType<T>): z.ZodType<NonEmptyList<T>> =>
  z
    .array(item)
    .refine((items) => items.length > 0, code('too_few', 'needs at least 1 item'))
    .register(registry, { minItems: 1 });
/** How many there may be is a rule of the request (`checkPaymentRules`); here only the document learns of it. */
export const listOf = <T>(
  item: z.ZodType<T>,
  minItems: number,
  maxItems: number,
): z.ZodType<NonEmptyList<T>> => z.array(item).register(registry, { minItems, maxItems });
/** What a record has an entry for, as a list that an enumeration takes. */
export const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): [K, ...K[]] =>
  Object.keys(record) as [K, ...K[]];
/** Known values, open for an operator's own. */
export const known = <const V extends string>(values: readonly [V, ...V[]]): z.ZodType<V | (string & {})> =>
  z.union([z.enum(values), z.string() as unknown as z.ZodType<string & {}>]);

/** A custom account field: any value that can be kept. */
export const customField: z.ZodType = z.unknown().refine(keepable, KEEPABLE);

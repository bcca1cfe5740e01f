import type { z } from 'zod';
import type { FieldErrorCode, Problem } from './envelope.js';
import { isJsonObject } from './rules.js';
import { MAX_ITEMS } from './values.js';

/** The result of reading a request: its value, or every problem with it. */
export type Read<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** Limits the size of a response to a malicious request. */
const MAX_PROBLEMS = 1000;

type Path = readonly PropertyKey[];

/**
 * Returns a path as the caller would write it.
 *
 * @example
 * fieldOf(['Charges', 3, 'Amount']); // 'Charges[3].Amount'
 */
export const fieldOf = (path: Path): string =>
  path.reduce<string>((field, key) => {
    if (typeof key === 'number') return `${field}[${key}]`;
    return field === '' ? String(key) : `${field}.${String(key)}`;
  }, '');

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );

const codeOf = (issue: z.core.$ZodIssue, input: unknown): FieldErrorCode => {
  if (issue.code === 'custom') return (issue.params?.['code'] as FieldErrorCode | undefined) ?? 'invalid';
  if (valueAt(input, issue.path) === undefined) return 'required';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'too_many';
  if (issue.code === 'too_small' && issue.origin === 'array') return 'too_few';
  return 'invalid';
};

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  date: 'an ISO 8601 date, such as 2026-11-30',
  url: 'an absolute http: or https: URL',
};

const kindOf = (name: string): string => KINDS[name] ?? name;

const countOf = (limit: number | bigint, noun: string): string =>
  `${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`;

type IssueOf<C> = Extract<z.core.$ZodIssue, { code: C }>;

/** Messages name what is expected, never the value, which could be a secret that must not be logged. */
const MESSAGES: { readonly [C in z.core.$ZodIssue['code']]: (issue: IssueOf<C>) => string } = {
  custom: ({ message }) => message,
  invalid_type: ({ expected }) => `must be ${kindOf(expected)}`,
  invalid_format: ({ format, message }) => (format === 'regex' ? message : `must be ${kindOf(format)}`),
  invalid_value: ({ values }) => `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`,
  too_small: ({ origin, minimum, inclusive }) => {
    if (origin === 'array') return `needs at least ${countOf(minimum, 'item')}`;
    if (origin === 'string') return 'must not be empty';
    return `must be ${inclusive ? 'at least' : 'more than'} ${minimum}`;
  },
  too_big: ({ origin, maximum, inclusive }) => {
    if (origin === 'array') return `takes at most ${countOf(maximum, 'item')}`;
    if (origin === 'string') return `takes at most ${countOf(maximum, 'character')}`;
    return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}`;
  },
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => `does not take ${keys.join(', ')}`,
  invalid_union: () => 'is not valid',
  invalid_key: () => 'has an invalid key',
  invalid_element: () => 'has an invalid item',
};

/**
 * Describes what is wrong with a value, to follow its name: `is required`, `must be a string`.
 *
 * @param input The whole parsed value. Distinguishes missing values from invalid ones.
 * @example
 * const result = schema.safeParse(input);
 * const problems = result.error?.issues.map((issue) => `${fieldOf(issue.path)}: ${wordsOf(issue, input)}`) ?? [];
 */
export function wordsOf(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code !== 'custom' && valueAt(input, issue.path) === undefined) return 'is required';
  return (MESSAGES[issue.code] as (issue: z.core.$ZodIssue) => string)(issue);
}

/** Converts a Zod issue to a problem, with the path as the caller wrote it. */
export function problemOf(issue: z.core.$ZodIssue, input: unknown): Problem {
  const problem = issue.code === 'custom' ? (issue.params?.['problem'] as Problem | undefined) : undefined;
  if (problem !== undefined) return problem;

  const field = fieldOf(issue.path);
  return {
    code: codeOf(issue, input),
    message: `${field === '' ? 'The request body' : field} ${wordsOf(issue, input)}.`,
    ...(field === '' ? {} : { field }),
  };
}

/** Truncates the lists of a request. Those with more than {@link MAX_ITEMS} are refused. */
function withShortLists(input: unknown): unknown {
  if (!isJsonObject(input)) return input;

  const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > MAX_ITEMS;
  if (!Object.values(input).some(isLong)) return input;

  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, isLong(value) ? value.slice(0, MAX_ITEMS + 1) : value]),
  );
}

/** If there are too many issues, keeps those closest to the root of the request. */
function limited(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  if (issues.length <= MAX_PROBLEMS) return issues;

  return [...issues].sort((one, other) => one.path.length - other.path.length).slice(0, MAX_PROBLEMS);
}

/**
 * Reads unknown input with one of these schemas. Returns the value without unknown keys, or every problem.
 *
 * @example
 * const read = readRequest(paymentSessionRequestSchema, await request.json());
 * if (!read.ok) return failure(400, read.problems);
 */
export function readRequest<T>(schema: z.ZodType<T>, input: unknown): Read<T> {
  const result = schema.safeParse(withShortLists(input));
  if (result.success) return { ok: true, value: result.data };

  const problems = limited(result.error.issues).map((issue) => problemOf(issue, input));
  return { ok: false, problems };
}

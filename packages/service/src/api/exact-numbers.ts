/** Finds JSON numbers that a double cannot represent, before they silently change. */

import { randomUUID } from 'node:crypto';

/**
 * The fields whose numbers are stored: a tree, where `*` matches any item of a list and `true` everything below. Other
 * numbers are not checked.
 */
export type NumberFields = true | { readonly [key: string]: NumberFields };

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Matches numbers, and also strings, to skip digits inside them. */
const TOKEN = new RegExp(String.raw`${STRING.source}|-?\d[\d.eE+-]*`, 'g');

/** Finds numbers with more than 15 digits or an exponent, and negative zeros: only those can be inexact. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE]|(?:^|[[:,\s])-0/;

/** A double can represent any 15 digits, unless it is smaller than `SMALLEST_NORMAL`. */
const SAFE_DIGITS = 15;
const SMALLEST_NORMAL = 2.3e-308;

/** Limits of the result: number of paths, and their total length in characters. */
const MAX_PATHS = 1_000;
const MAX_PATH_CHARACTERS = 65_536;

/** Deeper metadata is refused elsewhere. */
const MAX_DEPTH = 200;

/** Replaces inexact numbers. Random, so requests can't contain it. */
const INEXACT: string = randomUUID().slice(0, 8);

/**
 * The paths of numbers that a double can't represent, such as `CustomMeta.order[2].total`, in valid JSON. Takes linear time
 * and memory, and truncates long lists.
 */
export function inexactNumbers(json: string, fields: NumberFields = true): string[] {
  if (!MAYBE_INEXACT.test(json)) return [];
  // Most matches are in names and texts. Without them, a request needs no call for each token.
  if (!MAYBE_INEXACT.test(json.replace(STRING, '""'))) return [];

  // A reviver with access to the source text takes five times as long.
  const marked = json.replace(TOKEN, (token) =>
    token.startsWith('"') || !MAYBE_INEXACT.test(token) || isExact(token) ? token : `"${INEXACT}"`,
  );
  if (marked === json) return [];

  const found: string[] = [];
  let characters = 0;
  for (const path of inexactPaths(JSON.parse(marked), fields, '', 0)) {
    found.push(path);
    characters += path.length;
    if (found.length === MAX_PATHS || characters > MAX_PATH_CHARACTERS) break;
  }
  return found;
}

function* inexactPaths(value: unknown, fields: NumberFields, path: string, depth: number): Generator<string> {
  if (value === INEXACT && fields === true) yield path;
  if (!isContainer(value) || depth === MAX_DEPTH) return;

  const isList = Array.isArray(value);
  // Only the named fields, because there may be thousands of others.
  const keys =
    isList || fields === true
      ? Object.keys(value)
      : Object.keys(fields).filter((key) => Object.hasOwn(value, key));
  for (const key of keys) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== INEXACT && !isContainer(item)) continue;
    const below = fieldsAt(fields, isList ? '*' : key);
    if (below === undefined) continue;

    const field = path === '' ? key : `.${key}`;
    yield* inexactPaths(item, below, path + (isList ? `[${key}]` : field), depth + 1);
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

function fieldsAt(fields: NumberFields, key: string): NumberFields | undefined {
  if (fields === true) return true;
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function isExact(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return ZERO.test(text);
  if (text.length <= SAFE_DIGITS && Math.abs(value) > SMALLEST_NORMAL) return true;

  const { digits, exponent } = decimalOf(text);
  const exact = decimalOf(String(value));
  return digits === exact.digits && exponent === exact.exponent;
}

/** Positive zero, unlike a number too small for a double. */
const ZERO = /^0(?:\.0+)?(?:e|$)/i;

interface Decimal {
  /** Without zeros at either end. */
  readonly digits: string;
  readonly exponent: number;
}

/** Normalizes a nonzero decimal, ignoring its sign. */
function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;

  // Loops, because /0+$/ takes quadratic time for zeros in the middle.
  let start = 0;
  while (digits[start] === '0') start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end -= 1;

  return {
    digits: digits.slice(start, end),
    exponent: Number(power) - fraction.length + (digits.length - end),
  };
}

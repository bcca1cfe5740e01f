/** Finds JSON numbers that a double cannot represent, before they silently change. */

import { randomUUID } from 'node:crypto';

/**
 * Where a request keeps numbers: a tree of its fields, `*` for any item of a list, `true` for everything below.
 * Numbers elsewhere are not checked.
 */
export type KeptNumbers = true | { readonly [key: string]: KeptNumbers };

/** A number, or a string, to skip what looks like one in it. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Only more than 15 digits, an exponent or a negative zero can be inexact. Finds them in a token or in a whole text. */
const SUSPECT = /[\d.]{16}|\d[eE]|(?:^|[[:,\s])-0/;

/** Any double holds 15 digits, unless it is smaller than this. */
const SAFE_DIGITS = 15;
const SMALLEST_NORMAL = 2.3e-308;

/** The shortest text of a double never has more significant digits. */
const MAX_DIGITS = 17;

/** Limits of the result: number of paths, and their total length in characters. */
const MAX_FOUND = 1_000;
const MAX_PATH_CHARACTERS = 65_536;

/** Metadata is refused before it is as deep as this. */
const MAX_DEPTH = 200;

/** Replaces a number that a double would change. Nobody can send it. */
const INEXACT: string = randomUUID();

/**
 * Returns the paths, such as `CustomMeta.order[2].total`, of kept numbers that a double would change. Time and memory
 * grow linearly with the text; a list that is too long is cut.
 *
 * @param json valid JSON
 */
export function inexactNumbers(json: string, kept: KeptNumbers = true): string[] {
  if (!SUSPECT.test(json)) return [];

  // A reviver, which knows the source of each number, takes five times as long.
  const marked = json.replace(TOKEN, (token) =>
    token.startsWith('"') || !SUSPECT.test(token) || isExact(token) ? token : `"${INEXACT}"`,
  );
  if (marked === json) return [];

  const found: string[] = [];
  let characters = 0;
  for (const path of inexactPaths(JSON.parse(marked), kept, '', 0)) {
    found.push(path);
    characters += path.length;
    if (found.length === MAX_FOUND || characters > MAX_PATH_CHARACTERS) break;
  }
  return found;
}

function* inexactPaths(value: unknown, kept: KeptNumbers, path: string, depth: number): Generator<string> {
  if (value === INEXACT && kept === true) yield path;
  if (!isContainer(value) || depth === MAX_DEPTH) return;

  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    if (item !== INEXACT && !isContainer(item)) continue;
    const below = keptAt(kept, isList ? '*' : key);
    if (below === undefined) continue;

    const name = isList ? `[${key}]` : path === '' ? key : `.${key}`;
    yield* inexactPaths(item, below, path + name, depth + 1);
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

function keptAt(kept: KeptNumbers, key: string): KeptNumbers | undefined {
  if (kept === true) return true;
  return Object.hasOwn(kept, key) ? kept[key] : undefined;
}

function isExact(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return ZERO.test(text);
  if (text.length <= SAFE_DIGITS && Math.abs(value) > SMALLEST_NORMAL) return true;

  const { digits, exponent } = decimalOf(text);
  const exact = decimalOf(String(value));
  return digits.length <= MAX_DIGITS && digits === exact.digits && exponent === exact.exponent;
}

/** A zero that is neither negative nor too small for a double. */
const ZERO = /^0(?:\.0+)?(?:e|$)/i;

interface Decimal {
  /** Without zeros at either end. */
  readonly digits: string;
  readonly exponent: number;
}

/** One spelling for each value but zero, without its sign. */
function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const all = whole + part;

  // Loops, because /0+$/ takes quadratic time for zeros in the middle.
  let start = 0;
  while (all[start] === '0') start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end -= 1;

  return { digits: all.slice(start, end), exponent: Number(power) - part.length + (all.length - end) };
}

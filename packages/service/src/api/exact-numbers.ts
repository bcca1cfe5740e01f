/** Finds numbers that JSON can write and a double cannot hold, before they silently change. */

/**
 * Where a request keeps numbers: a tree of its fields, `*` for any item of a list, `true` for everything below.
 * Numbers elsewhere are not checked.
 */
export type KeptNumbers = true | { readonly [key: string]: KeptNumbers };

/** Any double holds 15 digits. Only more digits, an exponent or a negative zero can be inexact. */
const SUSPECT = /[\d.]{16}|\d[eE]|(?:^|[[:,\s])-0/;

/** The shortest text of a double never has more significant digits. */
const MAX_DIGITS = 17;

/** Bounds of an answer: so many paths, and so many characters of them. */
const MAX_FOUND = 1_000;
const MAX_PATH_CHARACTERS = 65_536;

/** Metadata is refused before it is as deep as this. */
const MAX_DEPTH = 200;

/** Replaces a number that a double would change. */
const INEXACT = Symbol('inexact');

/**
 * Returns the paths, such as `CustomMeta.order[2].total`, of kept numbers that a double would change. Time and memory
 * grow linearly with the text; a list that is too long is cut.
 *
 * @param json valid JSON
 * @throws RangeError if it is nested thousands of levels deep and may contain such a number
 */
export function inexactNumbers(json: string, kept: KeptNumbers = true): string[] {
  if (!SUSPECT.test(json)) return [];

  const marked = (JSON.parse as ParseWithSource)(json, (_key, value, { source }) =>
    typeof value === 'number' && SUSPECT.test(source!) && !isExact(source!) ? INEXACT : value,
  );
  const found: string[] = [];
  let characters = 0;
  for (const path of inexactPaths(marked, kept, '', 0)) {
    found.push(path);
    characters += path.length;
    if (found.length === MAX_FOUND || characters > MAX_PATH_CHARACTERS) break;
  }
  return found;
}

/** TypeScript's library lacks the third argument. Only primitive values have a source. */
type ParseWithSource = (
  json: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

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

  const { digits, ...rest } = decimalOf(text);
  const exact = decimalOf(String(value));
  return (
    digits.length <= MAX_DIGITS &&
    digits === exact.digits &&
    rest.sign === exact.sign &&
    rest.exponent === exact.exponent
  );
}

interface Decimal {
  readonly sign: string;
  /** Without zeros at either end. */
  readonly digits: string;
  readonly exponent: number;
}

/** One spelling for each value. */
function decimalOf(text: string): Decimal {
  const sign = text.startsWith('-') ? '-' : '';
  const [mantissa = '', power = '0'] = text.slice(sign.length).toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const all = whole + part;

  // Loops, because /0+$/ takes quadratic time for zeros in the middle.
  let start = 0;
  while (all[start] === '0') start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end -= 1;

  const digits = all.slice(start, end);
  const exponent = digits === '' ? 0 : Number(power) - part.length + (all.length - end);
  return { sign, digits, exponent };
}

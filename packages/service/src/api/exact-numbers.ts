/** Finds numbers that JSON can write and a double cannot hold, before they silently change. */

/**
 * Where a request keeps numbers: a tree of its fields, `*` for any item of a list, `true` for everything below.
 * Numbers elsewhere are not checked.
 */
export type KeptNumbers = true | { readonly [key: string]: KeptNumbers };

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/** Any double holds 15 digits. Only more digits, an exponent or a negative zero can be inexact. */
const SUSPECT = /[\d.]{16}|\d[eE]|(?:^|[[:,\s])-0/;

/** The shortest text of a double never has more significant digits. */
const MAX_DIGITS = 17;

/** Bounds of an answer: so many paths, and so many characters of them. */
const MAX_FOUND = 1_000;
const MAX_PATH_CHARACTERS = 65_536;

/** Metadata is refused before it is as deep as this. */
const MAX_DEPTH = 200;

/** An open object or array. */
interface Level {
  /** The current key or index. */
  at: string | number;
  /** True if the next string is a key. */
  expectsKey: boolean;
  readonly kept: KeptNumbers | undefined;
}

/**
 * Returns the paths, such as `CustomMeta.order[2].total`, of kept numbers that a double would change. Time and memory
 * grow linearly with the text; a list that is too long is cut.
 *
 * @param json valid JSON
 */
export function inexactNumbers(json: string, kept: KeptNumbers = true): string[] {
  if (!SUSPECT.test(json)) return [];

  const found: string[] = [];
  const levels: Level[] = [];
  let characters = 0;

  for (const [token] of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    const first = token.charAt(0);

    if (first === '{') levels.push({ at: '', expectsKey: true, kept: keptAt(level, kept) });
    else if (first === '[') levels.push({ at: 0, expectsKey: false, kept: keptAt(level, kept) });
    else if (first === '}' || first === ']') levels.pop();
    else if (first === ',' && level) advance(level);
    else if (first === ':' && level) level.expectsKey = false;
    else if (first === '"') {
      if (level?.expectsKey) level.at = JSON.parse(token) as string;
    } else if (levels.length <= MAX_DEPTH && keptAt(level, kept) === true && !isExact(token)) {
      const path = pathOf(levels);
      found.push(path);
      characters += path.length;
      if (found.length === MAX_FOUND || characters > MAX_PATH_CHARACTERS) break;
    }
  }
  return found;
}

/** What is kept of the value that starts here. */
function keptAt(level: Level | undefined, root: KeptNumbers): KeptNumbers | undefined {
  if (level === undefined) return root;

  const { at, kept } = level;
  if (kept === undefined || kept === true) return kept;

  const key = typeof at === 'number' ? '*' : at;
  return Object.hasOwn(kept, key) ? kept[key] : undefined;
}

function advance(level: Level): void {
  if (typeof level.at === 'number') level.at += 1;
  else level.expectsKey = true;
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

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '');
}

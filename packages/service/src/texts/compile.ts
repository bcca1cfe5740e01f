/**
 * Compiles the texts in `packages/hosted/locales`: ICU MessageFormat with arguments, plurals and `#`. The build turns them into
 * the code of the pages' catalogs, so that no browser parses a message.
 */
import {
  parse,
  type Content,
  type FunctionArg,
  type Octothorpe,
  type PlainArg,
  type Select,
} from '@messageformat/parser';

/** A text without arguments, or a function of its arguments in the order of `en.json`. */
export type Text = string | ((...values: readonly (string | number)[]) => string);

type Part = string | Argument | Plural;
interface Argument {
  readonly kind: 'argument';
  readonly name: string;
  readonly isNumber: boolean;
}
interface Plural {
  readonly kind: 'plural';
  readonly name: string;
  /** By category, or by number as `=2`. */
  readonly cases: Readonly<Record<string, readonly Part[]>>;
}

const PLURAL_KEYS = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;

/** Largest count whose plural form is required. Fractions and millions use `other`. */
const MAX_COUNT = 200;

/** Plural forms that each message of the language must have. */
const requiredForms = new Map<string, readonly string[]>();

function requiredFormsOf(language: string): readonly string[] {
  const known = requiredForms.get(language);
  if (known !== undefined) return known;

  const rules = new Intl.PluralRules(language);
  const forms = Array.from({ length: MAX_COUNT + 1 }, (_, count) => rules.select(count));
  const required = [...new Set([...forms, 'other'])];
  requiredForms.set(language, required);
  return required;
}

type Token = Content | PlainArg | FunctionArg | Octothorpe | Select;

/** The parts of a message. Throws an error that says what is wrong with it. */
export function partsOf(language: string, message: string): readonly Part[] {
  const read = (tokens: readonly Token[], counted = ''): Part[] =>
    tokens.map((token): Part => {
      if (token.type === 'content') return token.value;
      if (token.type === 'octothorpe') return { kind: 'argument', name: counted, isNumber: true };

      const name = token.arg;
      if (token.type === 'argument') return { kind: 'argument', name, isNumber: false };
      if (token.type === 'function' && token.key === 'number' && token.param === undefined)
        return { kind: 'argument', name, isNumber: true };
      if (token.type !== 'plural' || token.pluralOffset)
        throw new Error(`{${name}} may be {${name}}, {${name}, number} or a plural`);

      const missing = requiredFormsOf(language).filter(
        (form) => !token.cases.some(({ key }) => key === form),
      );
      if (missing.length > 0) throw new Error(`the plural of {${name}} needs ${missing.join(', ')}`);

      const cases = token.cases.map(({ key, tokens: inner }) => [key, read(inner, name)] as const);
      return { kind: 'plural', name, cases: Object.fromEntries(cases) };
    });
  return read(parse(message, { cardinal: [...PLURAL_KEYS], strict: true }));
}

/** The arguments that a message names, and whether each must be a number. */
export function argumentsOf(parts: readonly Part[]): Map<string, 'number' | 'string'> {
  const found = new Map<string, 'number' | 'string'>();
  const add = (part: Part): void => {
    if (typeof part === 'string') return;
    const isNumber = part.kind === 'plural' || part.isNumber;
    found.set(part.name, isNumber ? 'number' : (found.get(part.name) ?? 'string'));
    if (part.kind === 'plural') for (const inner of Object.values(part.cases)) inner.forEach(add);
  };
  parts.forEach(add);
  return found;
}

function checkedParts(language: string, message: string, names: readonly string[]): readonly Part[] {
  const parts = partsOf(language, message);
  for (const name of argumentsOf(parts).keys())
    if (!names.includes(name)) throw new Error(`{${name}} is not an argument of this message`);
  return parts;
}

const wordsIn = (parts: readonly Part[]): string => parts.filter((part) => typeof part === 'string').join('');

/** @param names arguments in the order in which the function takes them */
export function compile(language: string, message: string, names: readonly string[]): Text {
  const parts = checkedParts(language, message, names);
  if (names.length === 0) return wordsIn(parts);

  const rules = new Intl.PluralRules(language);
  const write = (some: readonly Part[], values: readonly (string | number)[]): string =>
    some
      .map((part) => {
        if (typeof part === 'string') return part;

        const value = values[names.indexOf(part.name)] ?? '';
        if (part.kind === 'argument') return value;

        const { cases } = part;
        const form = cases[`=${value}`] ?? cases[rules.select(Number(value))] ?? cases['other'] ?? [];
        return write(form, values);
      })
      .join('');
  return (...values) => write(parts, values);
}

/** Name of the function that code of {@link codeOf} calls for plurals. */
const PLURAL = 'plural';

/** The source of what {@link compile} returns. `change` may replace texts, but not arguments. */
export function codeOf(
  language: string,
  message: string,
  names: readonly string[],
  change: (words: string) => string = (words) => words,
): string {
  const parts = checkedParts(language, message, names);
  if (names.length === 0) return JSON.stringify(change(wordsIn(parts)));

  const nameOf = (name: string): string => `a${names.indexOf(name)}`;
  const literal = (words: string): string => change(words).replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`);
  const write = (some: readonly Part[]): string =>
    `\`${some
      .map((part) => {
        if (typeof part === 'string') return literal(part);
        if (part.kind === 'argument') return `\${${nameOf(part.name)}}`;

        const cases = Object.entries(part.cases).map(
          ([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`,
        );
        return `\${${PLURAL}(${nameOf(part.name)},{${cases.join(',')}})}`;
      })
      .join('')}\``;
  return `(${names.map(nameOf).join(',')})=>${write(parts)}`;
}

/** A module whose default export is these messages. */
export function moduleOf(language: string, code: readonly (readonly [key: string, code: string])[]): string {
  const helper = `const ${PLURAL}=(n,forms)=>forms["="+n]??forms[new Intl.PluralRules(${JSON.stringify(language)}).select(n)]??forms.other;`;
  const usesPlural = code.some(([, each]) => each.includes(`${PLURAL}(`));
  return `${usesPlural ? helper : ''}export default ${objectCode(nest(code))};`;
}

export interface Nested<T> {
  [key: string]: T | Nested<T>;
}

/** `a.b` becomes `{ a: { b } }`. */
export function nest<T>(flat: Iterable<readonly [key: string, value: T]>): Nested<T> {
  const root: Nested<T> = {};
  for (const [key, value] of flat) {
    const path = key.split('.');
    const last = path.pop() ?? '';
    let at = root;
    for (const each of path) {
      const next = at[each] ?? {};
      at[each] = next;
      at = next;
    }
    at[last] = value;
  }
  return root;
}

function objectCode(value: string | Nested<string>): string {
  if (typeof value === 'string') return value;
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${objectCode(each)}`);
  return `{${members.join(',')}}`;
}

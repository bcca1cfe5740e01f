import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { dayOrInstant } from '@embedded-sessions/server-types/schemas';
import { ServiceError } from '../core/error.js';
import { SLUG } from '../platform/config/config.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

export const DEFAULT_CONFIG = 'service.config.json';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly default?: string;
  readonly help: string;
}
export type Options = Readonly<Record<string, Option>>;

/** What `parseArgs` reads for these options. */
export type ValuesOf<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

export interface Action {
  readonly options: Options;
  /** Whether it takes a positional argument. */
  readonly takesWord?: true;
  /** `values`: the {@link ValuesOf} its options. */
  run(values: never, word: string | undefined): Promise<void>;
}

interface Described {
  /** A line per form of the command. Continued lines are indented. */
  readonly usage: string;
  readonly summary: string;
}

export type SimpleCommand = Described & Action;

/** `actions` are by name, such as `create` in `keys create`. */
export type Command = SimpleCommand | (Described & { readonly actions: Readonly<Record<string, Action>> });

export const DATABASE_OPTION = {
  type: 'string',
  help: 'The database: a file or postgres://…; default: $EMBEDDED_SESSIONS_DATABASE',
} as const;
export const BUSINESS_UNIT_OPTION = { type: 'string', help: 'Slug of the business unit' } as const;

export function usageError(problem: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_arguments', `${problem}\n"embedded-sessions --help" shows the commands.`, {
    cause,
  });
}

/** Quotes the words only if they look like a command: they may be a key, or a URL with a password. */
export function unknownCommand(words: string): string {
  return /^[a-z -]{1,40}$/.test(words) ? `Unknown command "${words}".` : 'Unknown command.';
}

export function parse(
  args: string[],
  { options, takesWord }: Pick<Action, 'options' | 'takesWord'>,
): { values: Record<string, unknown>; word: string | undefined } {
  try {
    const { values, positionals, tokens } = parseArgs({
      args,
      options: { ...options },
      strict: true,
      allowPositionals: takesWord === true,
      tokens: true,
    });
    // For other options, the last one wins. Here, that would silently skip a business unit or a customer.
    for (const name of ['business-unit', 'email', 'id']) {
      const given = tokens.filter((token) => token.kind === 'option' && token.name === name);
      if (given.length > 1 && options[name]?.multiple !== true)
        throw new Error(`--${name} is given twice: this command takes one.`);
    }
    if (positionals.length > 1) throw new Error('Only one argument is allowed.');
    return { values, word: positionals[0] };
  } catch (cause) {
    // Node's message quotes the argument, which may be a key or a URL with a password.
    if ((cause as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')
      throw usageError('Unexpected argument. Only options are allowed here, such as --database.');

    if ((cause as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw usageError(
        (cause as Error).message.replace(/'-(?![a-z-]{1,40}').*'/s, 'that is not listed'),
        cause,
      );
    throw usageError((cause as Error).message, cause);
  }
}

export function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === '') throw usageError(`${flag} is required.`);
  return value;
}

/** Checks the format, because the database may not know the business unit. */
export function businessUnit(value: string | undefined): string {
  const slug = required(value, '--business-unit');
  if (SLUG.pattern.test(slug)) return slug;
  throw usageError(
    `A --business-unit is not a slug: it ${SLUG.rule}. Repeat the option for each business unit.`,
  );
}

export function instant(value: string | undefined, flag: string): number | undefined {
  if (value === undefined) return undefined;
  // Same rule as the API. `Date.parse` alone accepts typos (`1`, February 30th) and local time.
  if (dayOrInstant.safeParse(value).success) return Date.parse(value);
  throw usageError(`${flag} must be a time in ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00Z.`);
}

export function environment(value: string | undefined): ServiceEnvironment {
  if (value === 'staging' || value === 'production' || value === 'development') return value;
  throw usageError('--env must be staging, production or development.');
}

export function port(value: string | undefined, flag: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value !== '' && Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw usageError(`${flag} must be a port: 0 to 65535.`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Resolves when the reader can accept more, so that a long output doesn't accumulate in memory. */
export async function printed(part: string | Buffer): Promise<void> {
  if (!process.stdout.write(part)) await once(process.stdout, 'drain');
}

/** Reads a secret from stdin. At a terminal, prompts for a line without showing it. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await readAll(stdin)).trim();

  stderr.write(prompt);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: hidden, terminal: true });
  try {
    return (await terminal.question('')).trim();
  } catch {
    throw usageError('Nothing was entered.');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}

/** What every command of the command line is made of, and how it reads its arguments. */
import { once } from 'node:events';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { dayOrInstant } from '@embedded-sessions/server-types/schemas';
import { ServiceError } from '../core/error.js';
import { SLUG } from '../platform/config/config.js';
import type { ServiceEnvironment } from '../shared/environment.js';

export const DEFAULT_CONFIG = 'service.config.json';

export interface Command {
  /** As it is shown to whoever asks for help: one line, or more that are indented. */
  readonly usage: string;
  /** @throws ServiceError with what to do, for stderr. */
  run(args: string[]): Promise<void>;
}

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export function misused(problem: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_arguments', `${problem}\n"embedded-sessions --help" shows the commands.`, {
    cause,
  });
}

/** Of a command with actions of its own, such as `keys create`; none was given where `action` is empty. */
export function noSuchAction(command: string, action: string): ServiceError {
  return misused(`There is no command "${`${command} ${action}`.trimEnd()}".`);
}

/** Flags by their names, and the word that is none, if there is exactly one. */
export function parse(
  args: string[],
  options: NonNullable<ParseArgsConfig['options']>,
  allowPositionals = false,
): { values: Values; word: string | undefined } {
  try {
    const { values, positionals, tokens } = parseArgs({
      args,
      options,
      strict: true,
      allowPositionals,
      tokens: true,
    });
    // The last of others counts, as everywhere; here the first would be left out, and look as if it were in.
    const units = tokens.filter((token) => token.kind === 'option' && token.name === 'business-unit');
    if (units.length > 1 && options['business-unit']?.multiple !== true)
      throw new Error('--business-unit is given twice: this command takes one.');
    return { values, word: positionals.length === 1 ? positionals[0] : undefined };
  } catch (cause) {
    throw misused((cause as Error).message, cause);
  }
}

/** Undefined where it was not given. */
export function text(value: Values[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === '') throw misused(`${flag} is required.`);
  return value;
}

/** The database knows no business units, so a slip here would go unnoticed. */
export function businessUnit(value: string | undefined): string {
  const slug = required(value, '--business-unit');
  if (SLUG.pattern.test(slug)) return slug;
  throw misused(
    `--business-unit ${JSON.stringify(slug)} cannot be a slug: it ${SLUG.rule}. Give the option once per business unit.`,
  );
}

/** Ms since the epoch; undefined where it was not given. */
export function instant(value: string | undefined, flag: string): number | undefined {
  if (value === undefined) return undefined;
  // As the API reads it. What else JavaScript takes for a date is a slip (`1`, February 30th) or this machine's time.
  if (dayOrInstant.safeParse(value).success) return Date.parse(value);
  throw misused(`${flag} must be a time in ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00Z.`);
}

export function environment(value: Values[string]): ServiceEnvironment {
  if (value === 'staging' || value === 'production' || value === 'development') return value;
  throw misused('--env must be staging, production or development.');
}

export function port(value: Values[string], flag: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value !== '' && Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw misused(`${flag} must be a port: 0 to 65535.`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Of what is long: resolves when the reader can take more, so that what it has not read is not kept. */
export async function printed(part: string | Buffer): Promise<void> {
  if (!process.stdout.write(part)) await once(process.stdout, 'drain');
}

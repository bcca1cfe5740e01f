/** JSON logs with an allowlist of fields: no bodies, headers or URLs that could contain a secret. */
import { currentContext } from '../context.js';
import { ALLOWED, type LogFields, type LoggedError } from './fields.js';

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogDestination {
  write(line: string): void;
}

/** Adds the fields of the current request or job to each line. */
export function createLog(destination: LogDestination): Log {
  const at =
    (level: number) =>
    (message: string, fields: LogFields = {}) => {
      const line: Record<string, unknown> = { level, time: new Date().toISOString() };
      addAllowed(line, currentContext().log);
      addAllowed(line, fields);
      line['msg'] = message;
      destination.write(`${JSON.stringify(line)}\n`);
    };
  // The numbers that log tools know from pino.
  return { info: at(30), warn: at(40), error: at(50) };
}

function addAllowed(line: Record<string, unknown>, fields: LogFields): void {
  for (const name of Object.keys(fields) as (keyof LogFields)[])
    if (fields[name] !== undefined && ALLOWED.has(name)) line[name] = fields[name];
}

/** Other servers write parts of messages, so cut them before searching them. */
const MAX_MESSAGE = 1_000;
/**
 * A module may put anything into the name and the code. Accepts words with too few digits for a security code, and a
 * database's codes.
 */
const IDENTIFIER = /^(?:(?!(?:\D*\d){3})[A-Za-z][\w.-]{0,60}|[\dA-Z]{5})$/;
const MAX_CAUSES = 5;

/**
 * The loggable part of an error. Other properties of database errors contain values. Digits that could be a card
 * or account number are removed.
 */
export function describeError(error: unknown, causes: number = MAX_CAUSES): LoggedError {
  if (!(error instanceof Error)) return { name: 'Thrown', message: typeof error };

  const { name, code, message, stack, cause } = error as { readonly [Name in keyof LoggedError]?: unknown };
  // Without the message, which is logged separately.
  const at = String(stack)
    .replace(String(message), '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  return {
    name: typeof name === 'string' && IDENTIFIER.test(name) ? name : 'Error',
    ...(typeof code === 'string' && IDENTIFIER.test(code) ? { code } : {}),
    // Node quotes part of invalid JSON, which may contain payer data.
    message: withoutNumbers(
      String(message)
        .slice(0, MAX_MESSAGE)
        .replace(/"[^]*"(?=(?:\.{3})? is not valid JSON)/, '[text]'),
    ),
    stack: at.join('\n'),
    ...(causes > 0 && cause instanceof Error ? { cause: describeError(cause, causes - 1) } : {}),
  };
}

const withoutNumbers = (text: string): string => text.replace(/\d(?:[ -]?\d){8,}/g, '[number]');

/** Logs as JSON lines, made of these fields and no others: no body, no header, no URL that could hold a secret. */
import { pino, type DestinationStream } from 'pino';

/** Every field that may be logged. */
export interface LogFields {
  requestId?: string;
  /** Of the request, as its caller sent it. */
  traceparent?: string;
  method?: string;
  /** The route's pattern, such as `/s/:id`, never the path itself. */
  route?: string;
  status?: number;
  ms?: number;
  /** Codes of refused requests. */
  codes?: readonly string[];
  businessUnit?: string;
  sessionId?: string;
  /** As merchants know it. */
  paymentId?: string;
  scheduledId?: string;
  /** Of a webhook, as its receiver knows it. */
  messageId?: string;
  /** Public id of the API key. */
  keyId?: string;
  job?: string;
  /** What the processor was asked. */
  asked?: 'charge' | 'lookup' | 'refund';
  count?: number;
  url?: string;
  error?: LoggedError;
}

/** Class, code, message and stack of an error of ours or of a library, cleaned of parameters, and what caused it. */
export interface LoggedError {
  name: string;
  code?: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
}

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A field that is not named here does not compile. */
const ALLOWED: Readonly<Record<keyof LogFields, true>> = {
  requestId: true,
  traceparent: true,
  method: true,
  route: true,
  status: true,
  ms: true,
  codes: true,
  businessUnit: true,
  sessionId: true,
  paymentId: true,
  scheduledId: true,
  messageId: true,
  asked: true,
  keyId: true,
  job: true,
  count: true,
  url: true,
  error: true,
};

export function createLog(destination: DestinationStream): Log {
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const allowed = (fields: LogFields = {}): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(fields) as (keyof LogFields)[])
      if (fields[name] !== undefined && Object.hasOwn(ALLOWED, name)) kept[name] = fields[name];
    return kept;
  };
  return {
    info: (message, fields) => logger.info(allowed(fields), message),
    warn: (message, fields) => logger.warn(allowed(fields), message),
    error: (message, fields) => logger.error(allowed(fields), message),
  };
}

/**
 * What may be told of an error: a database's error carries values in its other properties, and no message keeps a
 * number that could be one of a card or an account.
 */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { name: 'Thrown', message: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const at = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...code,
    message: error.message
      // Node quotes some of what it could not read, which may be a payer's.
      .replace(/"[^]*"(?=(?:\.{3})? is not valid JSON)/, '[text]')
      .replace(/\d(?:[ -]?\d){8,}/g, '[number]'),
    ...(at ? { stack: at.join('\n') } : {}),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}

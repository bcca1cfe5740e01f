/** JSON logs with an allowlist of fields: no bodies, no headers, no URLs that could contain a secret. */
import { pino, type DestinationStream } from 'pino';

/** Every field that may be logged. */
export interface LogFields {
  requestId?: string;
  /** W3C trace context, as the caller sent it. */
  traceparent?: string;
  method?: string;
  /** The route's pattern, such as `/s/:id`, never the path itself. */
  route?: string;
  status?: number;
  ms?: number;
  /** Error codes of the response. */
  codes?: readonly string[];
  businessUnit?: string;
  sessionId?: string;
  /** The payment id that merchants see. */
  paymentId?: string;
  scheduledId?: string;
  /** The webhook id that receivers see. */
  messageId?: string;
  /** Public id of the API key. */
  keyId?: string;
  job?: string;
  /** The processor method that was called. */
  operation?: 'charge' | 'lookup' | 'cancel' | 'refund';
  /** The processor's own id of a charge or refund. */
  reference?: string;
  count?: number;
  url?: string;
  error?: LoggedError;
}

/** Class, code, message, stack and cause of an error, without parameters. */
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

/** A missing field is a type error. */
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
  operation: true,
  keyId: true,
  job: true,
  reference: true,
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
 * The loggable part of an error. Other properties of database errors contain values, and digits that could be a card
 * or account number are removed from messages.
 */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { name: 'Thrown', message: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const at = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...code,
    message: error.message
      // Node quotes part of invalid JSON, which may contain payer data.
      .replace(/"[^]*"(?=(?:\.{3})? is not valid JSON)/, '[text]')
      .replace(/\d(?:[ -]?\d){8,}/g, '[number]'),
    ...(at ? { stack: at.join('\n') } : {}),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}

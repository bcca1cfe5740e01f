const TEXTS = [
  'requestId',
  /** W3C trace context: of our span if there is an OpenTelemetry SDK, otherwise as the caller sent it. */
  'traceparent',
  'method',
  /** The route's pattern, such as `/s/:id`, never the path itself. */
  'route',
  /** The outcome of a page call, such as `declined`. */
  'outcome',
  'businessUnit',
  'sessionId',
  /** The payment id that merchants see. */
  'paymentId',
  'scheduledId',
  /** The webhook id that receivers see. */
  'messageId',
  'refundId',
  /** Public id of the API key. */
  'keyId',
  'job',
  'operation',
  /** The processor's own id of a charge or refund. */
  'reference',
  /** Of a bill, `YYYY-MM-DD`. */
  'dueDate',
  'url',
] as const;

const NUMBERS = ['status', 'ms', 'count'] as const;

type Logged<Name extends string, Value> = { [N in Name]?: Value };

/** Every field that may be logged. */
export interface LogFields
  extends Logged<(typeof TEXTS)[number], string>, Logged<(typeof NUMBERS)[number], number> {
  codes?: readonly string[];
  error?: LoggedError;
}

export const ALLOWED: ReadonlySet<string> = new Set([...TEXTS, ...NUMBERS, 'codes', 'error']);

/** An error's class, code, message, stack and cause, without parameters. */
export interface LoggedError {
  name: string;
  code?: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
}

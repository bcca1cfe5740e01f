/** Every field that may be logged. */
export interface LogFields {
  requestId?: string;
  /** W3C trace context: of our span if there is an OpenTelemetry SDK, otherwise as the caller sent it. */
  traceparent?: string;
  method?: string;
  /** The route's pattern, such as `/s/:id`, never the path itself. */
  route?: string;
  status?: number;
  ms?: number;
  /** The outcome of a page call, such as `declined`. */
  outcome?: string;
  /** Error codes of the response. */
  codes?: readonly string[];
  businessUnit?: string;
  sessionId?: string;
  /** The payment id that merchants see. */
  paymentId?: string;
  scheduledId?: string;
  /** The webhook id that receivers see. */
  messageId?: string;
  refundId?: string;
  /** Public id of the API key. */
  keyId?: string;
  job?: string;
  /** The processor method that was called. */
  operation?: 'charge' | 'lookup' | 'cancel' | 'refund';
  /** The processor's own id of a charge or refund. */
  reference?: string;
  count?: number;
  /** Of a bill, `YYYY-MM-DD`. */
  dueDate?: string;
  url?: string;
  error?: LoggedError;
}

/** An error's class, code, message, stack and cause, without parameters. */
export interface LoggedError {
  name: string;
  code?: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
}

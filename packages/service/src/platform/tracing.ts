/** OpenTelemetry spans. If the process has no SDK, they only pass on the caller's trace. */
import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
} from '@opentelemetry/api';
import { currentContext } from './context.js';
import type { LogFields } from './log/fields.js';
import { describeError } from './log/log.js';

interface SpanOptions {
  readonly kind: SpanKind;
  readonly about: Pick<LogFields, 'businessUnit' | 'sessionId' | 'paymentId' | 'messageId'>;
  /** The trace to continue, from anyone. Default: the current span's. */
  readonly from?: { readonly traceparent: string | undefined };
}

/** Runs `work` in a span. Doesn't record errors' messages, which may contain payer input. */
export function inSpan<T>(
  name: string,
  { kind, about, from }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const parent = from ? remote(from.traceparent) : context.active();
  // Without an SDK, skip the cost of attributes and contexts that nobody records.
  if (!hasSdk()) return work(trace.getSpan(parent) ?? NO_SPAN);

  const tracer = trace.getTracer('embedded-sessions');
  return tracer.startActiveSpan(name, { kind, attributes: attributesOf(about) }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      spanFailed(span, describeError(error).name);
      throw error;
    } finally {
      span.end();
    }
  });
}

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
/** The API's own provider, which it uses until an SDK registers another. */
const NO_SDK = new ProxyTracerProvider().getDelegate();

function hasSdk(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NO_SDK;
}

export function spanFailed(span: Span, message: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

export function attributesOf(fields: Omit<LogFields, 'error' | 'codes'>): Attributes {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`embedded_sessions.${snakeCase(name)}`, value]),
  );
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A span's `traceparent`; undefined if it has no trace. */
export function traceparentOf(span: Span | undefined): string | undefined {
  const found = span?.spanContext();
  if (!found || !isSpanContextValid(found)) return undefined;
  return `00-${found.traceId}-${found.spanId}-${found.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The `traceparent` to send: that of the current span, or of the request if there is no SDK. */
export function currentTraceparent(): string | undefined {
  return traceparentOf(trace.getActiveSpan()) ?? currentContext().log.traceparent;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Ignores an invalid `traceparent`. A later version is reduced to the fields of version 00. */
function remote(traceparent = ''): Context {
  const [, version, traceId = '', spanId = '', hex = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  const isLater = version !== '00';
  const flags = Number.parseInt(hex, 16);
  const context = { traceId, spanId, traceFlags: isLater ? flags & 1 : flags, isRemote: true };
  const isInvalid = version === 'ff' || (more !== undefined && !isLater) || !isSpanContextValid(context);
  return isInvalid ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
}

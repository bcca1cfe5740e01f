import { expect, it } from 'vitest';
import { SpanKind } from '@opentelemetry/api';
import { inSpan, traceparentOf } from './tracing.js';

/** What the service sends on, without an OpenTelemetry SDK. */
const passedOn = (traceparent: string | undefined): Promise<string | undefined> =>
  inSpan('call', { kind: SpanKind.SERVER, about: {}, from: { traceparent } }, async (span) =>
    traceparentOf(span),
  );

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

it.each([
  ['of version 00', `00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  ['not sampled', `00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
  ['of a later version', `cc-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  ['of a later version with more', `01-${TRACE}-${PARENT}-fe-what-comes`, `00-${TRACE}-${PARENT}-00`],
])('passes on a traceparent %s', async (_, header, expected) => {
  expect(await passedOn(header)).toBe(expected);
});

it.each([
  ['missing', undefined],
  ['empty', ''],
  ['of the invalid version', `ff-${TRACE}-${PARENT}-01`],
  ['in capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ['without a trace', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['without a parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['too long', `00-${TRACE}-${PARENT}-01-more`],
  ['too long for a later version', `01-${TRACE}-${PARENT}-01more`],
  ['too short', `00-${TRACE}-${PARENT}`],
  ['sent twice', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ['over two lines', `01-${TRACE}-${PARENT}-01-a\nb: c`],
])('ignores a traceparent %s', async (_, header) => {
  expect(await passedOn(header)).toBeUndefined();
});

/** Spans with an OpenTelemetry SDK, as an operator installs it. */
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { collectLog } from '../../test/collect-log.js';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { asMerchant, open, type Payer } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { parseConfig } from '../platform/config/config.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { serve } from './serve.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => provider.register());
afterAll(async () => {
  await provider.shutdown();
  // Other files share the process.
  trace.disable();
  context.disable();
  propagation.disable();
});

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  exporter.reset();
});

const named = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);

async function start(charge: PaymentProcessor['charge']) {
  const receiver = await startReceiver();
  stops.push(() => receiver.close());
  const traceparents: (string | undefined)[] = [];
  const service = await serve({
    env: 'staging',
    config: parseConfig(config({ webhook: { url: receiver.url, secrets: SECRETS } }), 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    log: collectLog().log,
    processor: {
      tokenize: async () => ({ token: 'tok', last4: '4242' }),
      charge: (attempt) => {
        traceparents.push(attempt.context.traceparent);
        return charge(attempt);
      },
      lookup: async () => 'succeeded',
      refund: async () => 'succeeded',
    },
  });
  stops.push(() => service.close());
  const ask = (path: string, init?: RequestInit) => fetch(new URL(path, service.url), init);
  return { receiver, traceparents, ask, payer: await open(ask, 'payment') };
}

const paid = async (payer: Payer): Promise<ReadableSpan> => {
  await payer.pay();
  const [request] = named('POST /s/:id/api/pay');
  if (!request) throw new Error('The payment has no span.');
  return request;
};

it('records a payment, its charge and its webhook as one trace', async () => {
  const { receiver, traceparents, payer } = await start(async () => 'succeeded');
  const request = await paid(payer);
  const { traceId, spanId } = request.spanContext();
  expect(request).toMatchObject({
    kind: SpanKind.SERVER,
    attributes: {
      'http.route': '/s/:id/api/pay',
      'http.response.status_code': 200,
      'embedded_sessions.session_id': payer.id,
      'embedded_sessions.business_unit': SLUG,
      'embedded_sessions.outcome': 'succeeded',
    },
  });

  const [charge] = named('processor charge');
  expect(charge).toMatchObject({
    kind: SpanKind.CLIENT,
    parentSpanContext: { traceId, spanId },
    attributes: { 'embedded_sessions.session_id': payer.id, 'embedded_sessions.outcome': 'succeeded' },
  });
  expect(traceparents).toEqual([`00-${traceId}-${charge?.spanContext().spanId}-01`]);

  await expect.poll(() => named('webhook payment.succeeded')).toHaveLength(1);
  const [webhook] = named('webhook payment.succeeded');
  expect(webhook).toMatchObject({
    kind: SpanKind.PRODUCER,
    parentSpanContext: { traceId, spanId: charge?.spanContext().spanId, isRemote: true },
    attributes: { 'http.response.status_code': 200, 'embedded_sessions.session_id': payer.id },
  });
  expect(receiver.received[0]?.headers['traceparent']).toBe(
    `00-${traceId}-${webhook?.spanContext().spanId}-01`,
  );
});

it("continues the caller's trace", async () => {
  const { ask, payer } = await start(async () => 'succeeded');
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  await asMerchant(
    ask,
    '/integrations/embedded/query',
    { PaymentSessionIdentifier: payer.id },
    { traceparent },
  );
  const [query] = named('POST /integrations/embedded/query');
  expect(query?.parentSpanContext).toMatchObject({ traceId, spanId: '00f067aa0ba902b7', isRemote: true });
});

it('R-50 records a failed charge as an error without the processor’s message', async () => {
  const { payer } = await start(async () => {
    throw new TypeError('card 4242424242424242 of ada@example.com');
  });
  await paid(payer);
  const [charge] = named('processor charge');
  expect(charge?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'TypeError' });
  const spans = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
    name,
    attributes,
    events,
    status,
  }));
  expect(JSON.stringify(spans)).not.toMatch(/4242|ada@example/);
  expect(JSON.stringify(spans)).not.toContain(payer.secret);
});

it('records no spans for probes', async () => {
  const { ask } = await start(async () => 'succeeded');
  await ask('/healthz');
  await ask('/readyz');
  expect(named('GET')).toEqual([]);
  expect(named('GET /healthz')).toEqual([]);
});

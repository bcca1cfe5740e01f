/** The log, webhooks and processor calls carry the request that caused them. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { collectLog } from '../../test/collect-log.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { API_KEY, SECRETS, SLUG, config } from '../../test/merchant.js';
import { CARD, open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import type { PaymentProcessor, ProcessorContext } from '../processor/rules/port.js';
import { parseConfig } from '../platform/config/config.js';
import { serve } from './serve.js';

const TRACES = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`) as [string, string];

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

describeOn(startEngines())('on %s, with jobs of its own', (engine, database) => {
  async function start(processor?: PaymentProcessor) {
    const receiver = await startReceiver();
    stops.push(() => receiver.close());
    const { log, lines } = collectLog();
    const service = await serve({
      env: 'staging',
      config: parseConfig(config({ webhook: { url: receiver.url, secrets: SECRETS } }), 'staging'),
      database: await database(),
      host: '127.0.0.1',
      port: 0,
      log,
      ...(processor ? { processor } : {}),
    });
    stops.push(() => service.close());
    const page = () => open((path, init) => fetch(new URL(path, service.url), init), 'payment');
    /** The id of the request that paid. */
    const pay = async (payer: Awaited<ReturnType<typeof page>>, traceparent?: string): Promise<string> => {
      const response = await payer.send('pay', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${payer.secret}`,
          'content-type': 'application/json',
          ...(traceparent === undefined ? {} : { traceparent }),
        },
        body: JSON.stringify({
          attemptId: randomUUID(),
          source: CARD,
          saveMethod: false,
          charges: [{ index: 0, amount: 12_345 }],
          fields: {},
        }),
      });
      await response.arrayBuffer();
      return response.headers.get('x-request-id') ?? '';
    };
    return { url: service.url, receiver, lines, page, pay };
  }

  it('sends the traceparent of a request with its webhooks, and with no others', async () => {
    const { receiver, page, pay } = await start();
    receiver.response = 200;
    const pages = await Promise.all([page(), page(), page(), page()]);
    const sent = [TRACES[0], TRACES[1], undefined, 'not a traceparent'];
    await Promise.all(pages.map((payer, index) => pay(payer, sent[index])));
    await expect.poll(() => receiver.received.length).toBe(4);
    const received = new Map(
      receiver.received.map(({ event, headers }) => [
        event.data.PaymentSessionIdentifier,
        headers['traceparent'],
      ]),
    );
    expect(pages.map(({ id }) => received.get(id))).toEqual([TRACES[0], TRACES[1], undefined, undefined]);
  });

  it('R-68 logs the request and session of a failed processor call, and passes the trace to the processor', async () => {
    const contexts: ProcessorContext[] = [];
    const down = new Error('down');
    const processor: PaymentProcessor = {
      tokenize: async (_, context) => {
        contexts.push(context);
        if (context.traceparent === TRACES[0]) throw down;
        return { token: 'tok', last4: '4242' };
      },
      charge: async ({ context }) => {
        contexts.push(context);
        throw down;
      },
      lookup: async () => 'declined',
    };
    const { lines, page, pay } = await start(processor);
    const pages = [await page(), await page()] as const;
    const requestIds = [await pay(pages[0], TRACES[0]), await pay(pages[1], TRACES[1])];
    const logged = (begin: string) => lines.filter(({ msg }) => msg.startsWith(begin));
    const [tokenized] = logged('The processor could not tokenize');
    expect(tokenized).toMatchObject({
      requestId: requestIds[0],
      traceparent: TRACES[0],
      sessionId: pages[0].id,
    });
    const [charged] = logged('Processor request failed');
    expect(charged).toMatchObject({
      requestId: requestIds[1],
      traceparent: TRACES[1],
      sessionId: pages[1].id,
      paymentId: expect.stringMatching(/./),
      operation: 'charge',
    });
    expect(contexts.map(({ traceparent }) => traceparent)).toEqual([TRACES[0], TRACES[1], TRACES[1]]);
    // of the connection itself.
    for (const { payer } of contexts) expect(payer).toMatchObject({ ip: '127.0.0.1' });
    const [request] = lines.filter(({ msg, route }) => msg === 'request' && route === '/s/:id/api/pay');
    expect(request).toMatchObject({ requestId: requestIds[0], traceparent: TRACES[0] });
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('logs the request, session and message of an undelivered webhook', async () => {
    const { receiver, lines, page, pay } = await start();
    receiver.response = 500;
    // Both are delivered in one batch, but must not share trace data.
    const pages = await Promise.all([page(), page()]);
    const requestIds = await Promise.all(pages.map((payer, index) => pay(payer, TRACES[index])));
    const undelivered = () => lines.filter(({ msg }) => msg === 'A webhook was not delivered');
    await expect.poll(() => undelivered().length).toBe(2);
    for (const [index, { id }] of pages.entries()) {
      const messageId = receiver.received.find(({ event }) => event.data.PaymentSessionIdentifier === id)
        ?.headers['webhook-id'];
      expect(undelivered()).toContainEqual(
        expect.objectContaining({
          businessUnit: SLUG,
          messageId,
          sessionId: id,
          requestId: requestIds[index],
          traceparent: TRACES[index],
        }),
      );
    }
  });

  it('R-80 logs the request of a failed refund, and passes its trace to the processor', async () => {
    const traces: (string | undefined)[] = [];
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok', last4: '4242' }),
      charge: async () => 'succeeded',
      lookup: async () => 'succeeded',
      refund: async ({ context }) => {
        traces.push(context.traceparent);
        throw new Error('down');
      },
    };
    const { url, lines, page, pay } = await start(processor);
    const payer = await page();
    await pay(payer, TRACES[0]);
    const ask = (path: string, body: Record<string, unknown>): Promise<Response> =>
      fetch(new URL(`/integrations/${path}`, url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-service-api-key': API_KEY,
          traceparent: TRACES[1],
        },
        body: JSON.stringify({ BusinessUnitSlug: SLUG, ...body }),
      });
    const query = await ask('embedded/query', { PaymentSessionIdentifier: payer.id });
    const { data } = (await query.json()) as { data: { Payments: [{ Id: string }] } };
    const refund = await ask('payments/refund', { PaymentIdentifier: data.Payments[0].Id });
    expect(refund.status).toBe(200);
    expect(traces).toEqual([TRACES[1]]);
    const [failure] = lines.filter(({ operation }) => operation === 'refund');
    expect(failure).toMatchObject({
      msg: 'Processor request failed; will retry',
      requestId: refund.headers.get('x-request-id'),
      traceparent: TRACES[1],
    });
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { LoaderError } from './error.js';
import type { FlowEvent } from './sdk.js';
import { createFakeLoader } from './testing.js';

const SESSION = 'https://pay.test/s/1';

describe('createFakeLoader', () => {
  it('records each flow that is opened', async () => {
    const { loader, flows } = createFakeLoader({ environment: 'production' });
    expect([loader.environment, loader.state]).toEqual(['production', 'idle']);
    const service = await loader.load();
    expect(loader.state).toBe('ready');
    const container = document.createElement('div');
    void service.startFlow({ sessionUrl: SESSION, environment: 'production' }, { container });
    void service.completePayment(SESSION);
    expect(flows.map(({ url, kind, container }) => ({ url, kind, container }))).toEqual([
      { url: SESSION, kind: 'other', container },
      { url: SESSION, kind: 'payment', container: undefined },
    ]);
  });

  it.each([
    ['complete', { status: 'completed', detail: { Status: 'Succeeded' } }],
    ['cancel', { status: 'canceled', by: 'payer' }],
    ['expire', { status: 'expired' }],
    ['renew', { status: 'expired', renew: true }],
    ['vanish', { status: 'unknown' }],
  ] as const)('ends as the test requests: %s', async (act, expected) => {
    const { loader, flows } = createFakeLoader();
    const events: FlowEvent[] = [];
    const result = (await loader.load()).completePayment(SESSION, { onEvent: (event) => events.push(event) });
    await vi.waitUntil(() => events.length === 2);
    flows[0]?.[act]({ Status: 'Succeeded' });
    expect(await result).toEqual(expected);
    expect(events.slice(0, 2)).toEqual([{ type: 'opened' }, { type: 'ready' }]);
    expect(events.at(-1)).toEqual({ type: 'closed' });
  });

  it('works without URL.canParse, as in the jsdom of Jest 29', async () => {
    vi.spyOn(URL, 'canParse').mockImplementation(() => {
      throw new TypeError('URL.canParse is not a function');
    });
    const { loader, flows } = createFakeLoader();
    const service = await loader.load();
    const result = service.completePayment(SESSION);
    await vi.waitUntil(() => flows[0]);
    flows[0]?.complete();
    expect(await result).toMatchObject({ status: 'completed' });
    await expect(service.completePayment('/s/1')).rejects.toMatchObject({ code: 'invalid_options' });
    vi.restoreAllMocks();
  });

  it('works without a document, as in server rendering tests', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    for (const name of ['document', 'addEventListener']) vi.stubGlobal(name, undefined);
    const { loader, flows } = createFakeLoader();
    const result = (await loader.load()).completePayment(SESSION);
    flows[0]?.complete();
    expect(await result).toMatchObject({ status: 'completed' });
    await new Promise((resolve) => setTimeout(resolve));
    vi.unstubAllGlobals();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('fails as the test requests, and refuses what the real loader refuses', async () => {
    const { loader, flows } = createFakeLoader();
    const service = await loader.load();
    const first = service.completePayment(SESSION);
    await expect(service.completePayment(SESSION)).rejects.toMatchObject({ code: 'flow_in_progress' });
    flows[0]?.fail(new Error('no'));
    await expect(first).rejects.toMatchObject({ code: 'flow_failed' });
    await expect(service.startFlow({ sessionUrl: SESSION, environment: 'production' })).rejects.toMatchObject(
      {
        code: 'environment_mismatch',
        message: expect.stringContaining('for staging, but the session is for production') as string,
      },
    );
    await expect(service.startFlow('nonsense')).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('must be an absolute URL') as string,
    });
    await expect(loader.load({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('passes on details and errors unchanged', async () => {
    const { loader, flows } = createFakeLoader();
    const service = await loader.load();
    const detail = { PaymentSessionIdentifier: 'ses_123456', paidAt: new Date() };
    const paid = service.completePayment('https://pay.test/s/ses_123456');
    flows[0]?.complete(detail);
    expect(await paid).toEqual({ status: 'completed', detail });
    const cause = new Error('no');
    const failed = service.completePayment(SESSION);
    flows[1]?.fail(cause);
    await expect(failed).rejects.toSatisfy((error: LoaderError) => error.cause === cause);
  });

  it('reports a payment in flight, which can’t be aborted before its verdict or decline', async () => {
    const { loader, flows } = createFakeLoader();
    const service = await loader.load();
    const pay = async (act: (flow: (typeof flows)[number] | undefined) => void) => {
      const events: FlowEvent[] = [];
      const leave = new AbortController();
      const onEvent = (event: FlowEvent) => void events.push(event);
      const result = service.completePayment(SESSION, { onEvent, signal: leave.signal });
      await vi.waitUntil(() => events.length === 2);
      act(flows.at(-1));
      leave.abort();
      return [events.slice(2).map(({ type }) => type), await result];
    };
    expect(await pay((flow) => flow?.processing())).toEqual([['processing'], { status: 'unknown' }]);
    expect(
      await pay((flow) => {
        flow?.processing();
        flow?.decline();
      }),
    ).toEqual([['processing', 'ready'], { status: 'canceled', by: 'merchant' }]);
  });

  it('reports an abort as canceled by the merchant', async () => {
    const { loader } = createFakeLoader();
    const controller = new AbortController();
    const result = (await loader.load()).startFlow(SESSION, { signal: controller.signal });
    controller.abort();
    expect(await result).toEqual({ status: 'canceled', by: 'merchant' });
  });

  it('rejects every load if loadError is set', async () => {
    const loadError = new LoaderError('offline', 'no connection');
    const { loader } = createFakeLoader({ loadError });
    await expect(loader.load()).rejects.toBe(loadError);
    expect(loader.state).toBe('failed');
  });
});

it('the guide shows merchant.test.ts unchanged', () => {
  const [guide, test] = ['../GUIDE.md', './merchant.test.ts'].map((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  );
  expect(guide).toContain(test?.slice(test.indexOf('\n') + 1).trim());
});

import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { isLoaderError, LoaderError } from './error.js';
import { embed, type EmbeddedService, type FlowOptions } from './flow.js';
import type { OpenFlow } from './page-flows.js';
import { registry } from './registry.js';
import type { FlowEvent, FlowResult, PresentationOptions, ServiceAdapter } from './sdk.js';
import { untrusted } from './untrusted.js';

const URL_1 = 'https://pay.test/s/stg_1#c2VjcmV0';

interface Call {
  emit: (event: FlowEvent) => void;
  settle: (result: unknown) => void;
  fail: (error: unknown) => void;
  close: Mock<() => Promise<void>>;
}

let calls: Call[];
let flows: Set<OpenFlow>;
let service: EmbeddedService;

const serviceWith = (adapter: ServiceAdapter): EmbeddedService => serviceOfTrusted(untrusted(adapter));

const serviceOfTrusted = (adapter: ServiceAdapter, defaults: PresentationOptions = {}): EmbeddedService =>
  embed({
    environment: 'staging',
    sdk: {},
    adapter,
    defaults,
    flows,
    urlOf: (session) => session as string,
  });

/** A service with an adapter that the test controls. */
function serviceOf(handle: { concurrent?: boolean; closes?: boolean } = {}): EmbeddedService {
  const adapter: ServiceAdapter = (_sdk, { emit }) => {
    let settle!: (result: unknown) => void;
    let fail!: (error: unknown) => void;
    const done = new Promise<unknown>((resolve, reject) => {
      settle = resolve;
      fail = reject;
    }) as Promise<FlowResult>;
    const close = vi.fn(async () => {});
    calls.push({ emit, settle, fail, close });
    return { done, ...(handle.closes !== false && { close }), concurrent: handle.concurrent === true };
  };
  return serviceWith(adapter);
}

const open = (options: FlowOptions = {}, at = service) => {
  const events: FlowEvent[] = [];
  const result = at.completePayment(URL_1, { onEvent: (event) => events.push(event), ...options });
  let settled = false;
  result.then(
    () => (settled = true),
    () => (settled = true),
  );
  return {
    result,
    events,
    types: () => events.map(({ type }) => type),
    isSettled: () => settled,
    call: calls.at(-1)!,
  };
};

const tick = () => new Promise((resolve) => setTimeout(resolve));
const inline = () => document.body.appendChild(document.createElement('div'));

beforeEach(() => {
  calls = [];
  flows = new Set();
  service = serviceOf();
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it('R-70 treats a null appearance or language as omitted', async () => {
  const NONE = { locale: null, appearance: null } as unknown as PresentationOptions;
  const DARK: PresentationOptions = { locale: 'es', appearance: { colorScheme: 'dark' } };
  const adapter = vi.fn<ServiceAdapter>(() => ({ done: Promise.resolve({ status: 'unknown' }) }));
  await serviceOfTrusted(adapter, DARK).completePayment(URL_1, NONE);
  await serviceOfTrusted(adapter, NONE).completePayment(URL_1);
  expect(adapter.mock.calls.map(([, { locale, appearance }]) => ({ locale, appearance }))).toEqual([
    DARK,
    { locale: undefined, appearance: undefined },
  ]);
});

describe('settling a modal', () => {
  it('R-56 reports the verdict immediately and settles when it closes', async () => {
    const { result, types, events, isSettled, call } = open();
    call.emit({ type: 'ready' });
    call.emit({ type: 'processing' });
    call.emit({ type: 'completed', sessionId: 'stg_1', detail: { Status: 'Succeeded' } });
    expect(types()).toEqual(['opened', 'ready', 'processing', 'completed']);
    expect(events[3]).toEqual({ type: 'completed', sessionId: 'stg_1', detail: { Status: 'Succeeded' } });
    await tick();
    expect(isSettled()).toBe(false);
    call.emit({ type: 'closed' });
    expect(await result).toEqual({
      status: 'completed',
      sessionId: 'stg_1',
      detail: { Status: 'Succeeded' },
    });
    expect(types()).toEqual(['opened', 'ready', 'processing', 'completed', 'closed']);
  });

  it.each<[string, unknown, FlowResult]>([
    ['completed', { status: 'completed', detail: 1 }, { status: 'completed', detail: 1 }],
    ['canceled', { status: 'canceled', by: 'payer' }, { status: 'canceled', by: 'payer' }],
    ['canceled by nobody named', { status: 'canceled' }, { status: 'canceled', by: 'payer' }],
    ['expired', { status: 'expired' }, { status: 'expired' }],
    ['expired, to start again', { status: 'expired', renew: true }, { status: 'expired', renew: true }],
    ['nothing', undefined, { status: 'unknown' }],
    ['a shape of its own', { ok: true }, { status: 'unknown' }],
    ['a status of its own', { status: 'paid' }, { status: 'unknown' }],
  ])('takes %s from the adapter', async (_, value, expected) => {
    const { result, call } = open();
    call.settle(value);
    expect(await result).toEqual(expected);
  });

  it.each([undefined, null])('R-60 settles if an SDK with protocol 1 resolves with %s', async (nothing) => {
    const done = Promise.resolve(nothing as unknown as FlowResult);
    const at = serviceOfTrusted(() => ({ done, concurrent: true }));
    expect(await at.completePayment(URL_1)).toEqual({ status: 'unknown' });
    expect(flows.size).toBe(0);
  });

  it('R-56 forwards events with unknown names', async () => {
    const { call, types } = open();
    call.emit({ type: 'resized' as 'ready' });
    expect(types()).toEqual(['opened', 'resized']);
  });

  it('R-51 resolves with the SDK’s renewal after an expired event', async () => {
    const { result, call, types } = open();
    call.emit({ type: 'expired' });
    call.settle({ status: 'expired', renew: true });
    expect(await result).toEqual({ status: 'expired', renew: true });
    expect(types()).toEqual(['opened', 'expired', 'closed']);
  });

  it.each<[string, unknown]>([
    [
      'a getter that throws',
      Object.defineProperty({}, 'amount', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
    ],
    ['what is no data', 12n],
  ])('keeps a verdict whose detail contains %s', async (_, detail) => {
    const flow = open();
    flow.call.emit({ type: 'completed', detail });
    flow.call.settle(undefined);
    expect(await flow.result).toMatchObject({ status: 'completed' });
    const settled = open();
    settled.call.settle({ status: 'completed', detail });
    expect(await settled.result).toMatchObject({ status: 'completed' });
  });

  it.each(['payment', 'expired'])('R-60 keeps a result that also has the type %s', async (type) => {
    const { result, types, call } = open();
    call.settle({ status: 'completed', detail: 1, type });
    expect(await result).toMatchObject({ status: 'completed', detail: 1 });
    expect(types()).toEqual(['opened', 'completed', 'closed']);
  });

  it.each(['paid', 'canceled'])('R-60 keeps a verdict whose event also has the status %s', async (status) => {
    const { result, call } = open();
    call.emit({ type: 'completed', detail: 1, status } as never);
    call.settle(undefined);
    expect(await result).toMatchObject({ status: 'completed', detail: 1 });
  });

  it('emits completed and closed even if the SDK only resolves its promise', async () => {
    const { result, types, call } = open();
    call.settle({ status: 'completed', detail: 1 });
    await result;
    expect(types()).toEqual(['opened', 'completed', 'closed']);
  });
});

describe('a verdict is final', () => {
  it.each<[string, (call: Call) => void]>([
    ['a close', (call) => call.emit({ type: 'closed' })],
    ['an expiry', (call) => (call.emit({ type: 'expired' }), call.settle({ status: 'expired' }))],
    ['a cancel', (call) => call.settle({ status: 'canceled', by: 'payer' })],
    [
      'an error event',
      (call) => (
        call.emit({ type: 'error', detail: { code: 'flow_failed' } }),
        call.emit({ type: 'closed' })
      ),
    ],
    ['a rejection', (call) => call.fail(new Error('late'))],
    [
      'another verdict',
      (call) => (call.emit({ type: 'completed', detail: 2 }), call.emit({ type: 'closed' })),
    ],
  ])('against %s', async (_, later) => {
    const { result, types, call } = open();
    call.emit({ type: 'completed', detail: 1 });
    later(call);
    expect(await result).toEqual({ status: 'completed', detail: 1 });
    expect(types()).toEqual(['opened', 'completed', 'closed']);
  });

  it('except that completed replaces expired', async () => {
    const { result, call } = open();
    call.emit({ type: 'expired' });
    call.settle({ status: 'completed', detail: 1 });
    expect(await result).toEqual({ status: 'completed', detail: 1 });
  });

  it('ignores everything after the end', async () => {
    const { result, types, call } = open();
    call.settle({ status: 'canceled', by: 'payer' });
    await result;
    call.emit({ type: 'completed', detail: 1 });
    call.emit({ type: 'closed' });
    await tick();
    expect(types()).toEqual(['opened', 'closed']);
  });
});

describe('an inline flow', () => {
  it('settles with its verdict while the receipt is still shown', async () => {
    const { result, types, call } = open({ container: inline() });
    call.emit({ type: 'completed', detail: 1 });
    expect(await result).toEqual({ status: 'completed', detail: 1 });
    expect(types()).toEqual(['opened', 'completed']);
    expect(call.close).not.toHaveBeenCalled();
  });

  it('closes a receipt that is still shown when its signal aborts', async () => {
    const abort = new AbortController();
    const { result, call } = open({ container: inline(), signal: abort.signal });
    call.emit({ type: 'completed', detail: 1 });
    await result;
    abort.abort();
    expect(call.close).toHaveBeenCalledOnce();
  });

  it('passes its container to the SDK', () => {
    const container = inline();
    const seen: unknown[] = [];
    const at = serviceWith((_sdk, call) => {
      seen.push(call.container);
      return { done: new Promise(() => {}), concurrent: true };
    });
    void at.completePayment(URL_1, { container });
    void at.startFlow(URL_1);
    expect(seen).toEqual([container, undefined]);
  });
});

it.each([null, '#pay', {}])('refuses %j as a container instead of opening a modal', async (container) => {
  const error = await service.completePayment(URL_1, { container } as FlowOptions).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 'invalid_options' });
  expect((error as Error).message).toContain('container');
  expect(calls).toHaveLength(0);
});

it('emits opened first, even if the SDK emits events during the call', async () => {
  const types: string[] = [];
  const at = serviceWith((_sdk, { emit }) => {
    emit({ type: 'ready' });
    return { done: Promise.resolve({ status: 'expired' }) };
  });
  await at.completePayment(URL_1, { onEvent: ({ type }) => types.push(type) });
  expect(types).toEqual(['opened', 'ready', 'expired', 'closed']);
});

describe('two flows at the same time', () => {
  const refused = async (options: FlowOptions = {}, at = service) => {
    const error = await at.startFlow(URL_1, options).catch((error: unknown) => error);
    expect(isLoaderError(error) && error.code).toBe('flow_in_progress');
  };

  it('refuses a second modal until the first has closed', async () => {
    const first = open();
    await refused();
    await expect(open().result).rejects.toThrow('wait until it closes');
    first.call.settle({ status: 'canceled', by: 'payer' });
    await first.result;
    open().call.settle({ status: 'expired' });
  });

  it('allows one inline flow per container and one modal if the adapter is concurrent', async () => {
    const at = serviceOf({ concurrent: true });
    const one = inline();
    open({ container: one }, at);
    open({ container: inline() }, at);
    open({}, at);
    expect(calls).toHaveLength(3);
    await refused({ container: one }, at);
    await refused({}, at);
  });

  it('allows one flow if the adapter is not concurrent', async () => {
    open({ container: inline() });
    await refused({ container: inline() });
    await refused();
  });

  it('frees the page when the SDK reports closed, even if its promise never settles', async () => {
    const { result, call } = open();
    call.emit({ type: 'processing' });
    call.emit({ type: 'closed' });
    expect(await result).toEqual({ status: 'unknown' });
    open().call.settle({ status: 'expired' });
  });

  it('does not call the SDK for a refused flow', async () => {
    open();
    await refused();
    expect(calls).toHaveLength(1);
  });
});

describe('abort', () => {
  const abort = () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  };

  it('before the call, rejects with aborted and opens nothing', async () => {
    const error = await service
      .completePayment(URL_1, { signal: AbortSignal.abort('why') })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'aborted', cause: 'why' });
    expect((error as Error).message).toMatch(/^Aborted by signal\. /);
    expect(calls).toHaveLength(0);
  });

  it('while waiting for an earlier flow, does not call the SDK', async () => {
    flows.add({ container: undefined, isOver: true });
    const controller = new AbortController();
    const { result } = open({ signal: controller.signal });
    const failed = expect(result).rejects.toMatchObject({ code: 'aborted', cause: 'why' });
    controller.abort('why');
    flows.clear();
    await failed;
    expect(calls).toEqual([]);
  });

  it('while open, closes the flow, which is canceled by the merchant if nothing is in flight', async () => {
    const { signal, abort: now } = abort();
    const { result, call } = open({ signal });
    call.close.mockImplementation(async () => call.settle({ status: 'canceled', by: 'merchant' }));
    now();
    expect(await result).toEqual({ status: 'canceled', by: 'merchant' });
  });

  it('fails before anything opens if the signal is not an AbortSignal', async () => {
    const controller = new AbortController() as unknown as AbortSignal;
    await expect(service.completePayment(URL_1, { signal: controller })).rejects.toMatchObject({
      code: 'invalid_options',
    });
    expect(calls).toHaveLength(0);
  });

  it('during the opened event, closes the flow as soon as it is open', async () => {
    const { signal, abort: now } = abort();
    const result = service.completePayment(URL_1, {
      signal,
      onEvent: ({ type }) => type === 'opened' && now(),
    });
    expect(await result).toEqual({ status: 'unknown' });
    expect(calls[0]?.close).toHaveBeenCalled();
  });

  it('makes the next flow wait until this one has closed, in a modal and in the same container', async () => {
    for (const container of [undefined, inline()]) {
      const { signal, abort: now } = abort();
      const first = open({ signal, ...(container && { container }) });
      first.call.close.mockImplementation(async () => {
        await tick();
        first.call.settle({ status: 'canceled', by: 'merchant' });
      });
      now();
      const opened = calls.length;
      const next = service.completePayment(URL_1, { ...(container && { container }) });
      expect(await first.result).toEqual({ status: 'canceled', by: 'merchant' });
      await vi.waitUntil(() => calls.length > opened);
      calls.at(-1)!.settle({ status: 'expired' });
      expect(await next).toEqual({ status: 'expired' });
    }
  });

  it('frees the page once the SDK has closed, even if its promise never settles', async () => {
    const { signal, abort: now } = abort();
    const first = open({ signal });
    now();
    expect(await first.result).toEqual({ status: 'unknown' });
    const opened = calls.length;
    const next = service.completePayment(URL_1);
    await vi.waitUntil(() => calls.length > opened);
    calls.at(-1)!.settle({ status: 'expired' });
    expect(await next).toEqual({ status: 'expired' });
  });

  it('makes the next flow wait a second at most', async () => {
    vi.useFakeTimers();
    const { signal, abort: now } = abort();
    const first = open({ signal });
    first.call.close.mockReturnValue(new Promise(() => {}));
    now();
    const next = open();
    await vi.advanceTimersByTimeAsync(950);
    expect(next.isSettled()).toBe(false);
    await vi.advanceTimersByTimeAsync(50);
    expect(next.isSettled()).toBe(true);
    await expect(next.result).rejects.toMatchObject({ code: 'flow_in_progress' });
  });

  it('does not reject if the SDK rejects because it was closed', async () => {
    const { signal, abort: now } = abort();
    const { result, types, call } = open({ signal });
    now();
    call.fail(new Error('closed by the page'));
    expect(await result).toEqual({ status: 'unknown' });
    expect(types()).not.toContain('error');
  });

  it('resolves with unknown if the SDK reports no result', async () => {
    const { signal, abort: now } = abort();
    const { result } = open({ signal });
    now();
    expect(await result).toEqual({ status: 'unknown' });
  });

  it('resolves with unknown, and occupies the page, if closing hangs for 3 s, fails or is impossible', async () => {
    vi.useFakeTimers();
    const isTaken = async (call: Call) => {
      const next = service.completePayment(URL_1).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(1_100);
      expect(await next).toMatchObject({ code: 'flow_in_progress' });
      call.settle({ status: 'unknown' });
      await vi.advanceTimersByTimeAsync(1);
      expect(flows.size).toBe(0);
    };
    const { signal, abort: now } = abort();
    const hangs = open({ signal });
    hangs.call.close.mockReturnValue(new Promise(() => {}));
    now();
    await vi.advanceTimersByTimeAsync(2_900);
    expect(hangs.isSettled()).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await hangs.result).toEqual({ status: 'unknown' });
    await isTaken(hangs.call);

    const second = abort();
    const fails = open({ signal: second.signal });
    fails.call.close.mockRejectedValue(new Error('no'));
    second.abort();
    await vi.advanceTimersByTimeAsync(1);
    expect(await fails.result).toEqual({ status: 'unknown' });
    await isTaken(fails.call);

    const third = abort();
    const cannot = open({ signal: third.signal }, serviceOf({ closes: false }));
    third.abort();
    await vi.advanceTimersByTimeAsync(1);
    expect(await cannot.result).toEqual({ status: 'unknown' });
    await isTaken(cannot.call);
  });

  it('R-60 during a payment resolves with unknown and occupies the page until the payment ends', async () => {
    const { signal, abort: now } = abort();
    const { result, call } = open({ signal });
    call.emit({ type: 'processing' });
    now();
    expect(await result).toEqual({ status: 'unknown' });
    const second = await service.completePayment(URL_1).catch((error: unknown) => error);
    expect(second).toMatchObject({ code: 'flow_in_progress' });
    call.settle({ status: 'completed', detail: 1 });
    await tick();
    expect(flows.size).toBe(0);
  });

  it('R-60 during a payment resolves without waiting for the SDK to close', async () => {
    const { signal, abort: now } = abort();
    const { isSettled, call } = open({ signal });
    call.close.mockReturnValue(new Promise(() => {}));
    call.emit({ type: 'processing' });
    now();
    await tick();
    await tick();
    expect(isSettled()).toBe(true);
  });

  it('after a decline is canceled, because nothing is in flight', async () => {
    const { signal, abort: now } = abort();
    const { result, call } = open({ signal });
    call.emit({ type: 'processing' });
    call.emit({ type: 'ready' });
    call.close.mockImplementation(async () => call.settle({ status: 'canceled', by: 'merchant' }));
    now();
    expect(await result).toEqual({ status: 'canceled', by: 'merchant' });
  });

  it('after the verdict resolves with the verdict', async () => {
    const { signal, abort: now } = abort();
    const { result, call } = open({ signal });
    call.emit({ type: 'completed', detail: 1 });
    now();
    expect(await result).toEqual({ status: 'completed', detail: 1 });
    expect(call.close).toHaveBeenCalled();
  });
});

describe('failure', () => {
  it.each<[string, unknown]>([
    ['an Error', new Error(`cannot open ${URL_1}: refused`)],
    ['a string', `cannot open "${URL_1}"`],
    ['an object', { message: `GET ${URL_1} 500` }],
  ])('R-2 of the SDK with %s is flow_failed and does not leak the session’s secret', async (_, thrown) => {
    const { result, types, events, call } = open();
    call.fail(thrown);
    const error = await result.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'flow_failed' });
    expect(events[1]).toEqual({ type: 'error', detail: { code: 'flow_failed' } });
    expect((error as Error).message).toContain('https://pay.test');
    const everything = [
      (error as Error).message,
      (error as Error).stack,
      String((error as Error).cause),
      JSON.stringify(error),
    ];
    expect(everything.join()).not.toMatch(/c2VjcmV0|stg_1/);
    expect(types()).toEqual(['opened', 'error', 'closed']);
  });

  it.each<FlowResult & { link: string }>([
    { status: 'completed', detail: { Status: 'Succeeded', link: URL_1 }, link: URL_1 },
    { status: 'canceled', by: 'payer', link: URL_1 },
    { status: 'expired', link: URL_1 },
  ])('R-2 redacts the session’s secret from %j in events and results', async (reported) => {
    const { result, events, call } = open();
    call.emit({ type: 'ready', link: URL_1 } as FlowEvent);
    call.settle(reported);
    const { status } = await result;
    expect(status).toBe(reported.status);
    expect(JSON.stringify([events, await result])).not.toMatch(/c2VjcmV0|stg_1/);
  });

  it.each(['E_PAID', 'toString', 7, undefined, {}, ['timeout']])(
    'does not pass the SDK’s code %j on as a loader code',
    async (code) => {
      const { result, call } = open();
      call.fail({ code, message: 'no' });
      await expect(result).rejects.toMatchObject({
        code: 'flow_failed',
        message: expect.stringMatching(/^The SDK failed: no /) as string,
      });
    },
  );

  it('keeps our SDK’s reason, and its error as the cause', async () => {
    const { result, call } = open();
    const cause = Object.assign(new Error('no answer'), { details: { reason: 'frame_unreachable' } });
    call.fail(cause);
    await expect(result).rejects.toMatchObject({ details: { reason: 'frame_unreachable' }, cause });
  });

  it.each<[string, unknown]>([
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('no')],
    ['nothing', undefined],
    ['an event', new Event('error')],
  ])('whatever value the SDK rejects with: %s', async (_, thrown) => {
    const { result, call } = open();
    call.fail(thrown);
    await expect(result).rejects.toMatchObject({
      code: 'flow_failed',
      message: expect.stringMatching(/^The SDK failed: no reason given /) as string,
    });
    await tick();
    expect(flows.size).toBe(0);
  });

  it('R-60 is unknown if the SDK fails during a payment, and a failure after a decline', async () => {
    const { result, types, call } = open();
    call.emit({ type: 'processing' });
    call.fail({ code: 'network_error', message: 'the connection was lost' });
    expect(await result).toEqual({ status: 'unknown' });
    expect(types()).toEqual(['opened', 'processing', 'closed']);
    await tick();

    const declined = open();
    declined.call.emit({ type: 'processing' });
    declined.call.emit({ type: 'ready' });
    declined.call.fail({ code: 'network_error', message: 'the connection was lost' });
    await expect(declined.result).rejects.toMatchObject({ code: 'network_error' });
  });

  it('passes a LoaderError of an adapter on', async () => {
    const { result, call } = open();
    const own = new LoaderError('flow_failed', 'mine');
    call.fail(own);
    await expect(result).rejects.toMatchObject({ code: 'flow_failed', message: own.message });
  });

  it('rejects with flow_failed and frees the page if an adapter throws or returns garbage', async () => {
    for (const adapter of [
      () => {
        throw new Error('no');
      },
      () => undefined,
    ]) {
      const at = serviceWith(adapter as unknown as ServiceAdapter);
      await expect(at.completePayment(URL_1)).rejects.toMatchObject({ code: 'flow_failed' });
      await tick();
      expect(flows.size).toBe(0);
    }
  });

  it('continues if a listener throws', async () => {
    const reported: (() => void)[] = [];
    vi.stubGlobal('queueMicrotask', (work: () => void) => reported.push(work));
    const { result, call } = open({
      onEvent: () => {
        throw new Error('theirs');
      },
    });
    call.settle({ status: 'completed', detail: 1 });
    expect(await result).toEqual({ status: 'completed', detail: 1 });
    expect(reported).toHaveLength(3);
    for (const report of reported) expect(report).toThrow('theirs');
    vi.unstubAllGlobals();
  });
});

it('R-61 occupies the page after a failure until the adapter’s `gone` settles', async () => {
  const reported = vi.fn();
  vi.stubGlobal('queueMicrotask', reported);
  let leave!: () => void;
  const gone = new Promise<void>((resolve) => (leave = resolve));
  const adapter = () => ({ done: Promise.reject(new Error('no')), gone });
  const at = serviceWith(adapter);
  await expect(at.completePayment(URL_1)).rejects.toMatchObject({ code: 'flow_failed' });
  await tick();
  expect(flows.size).toBe(1);
  leave();
  await tick();
  expect(flows.size).toBe(0);
  expect(reported).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});

it('occupies the page until the flow ends if the adapter’s `gone` is null', async () => {
  let settle!: (result: FlowResult) => void;
  const done = new Promise<FlowResult>((resolve) => (settle = resolve));
  const at = serviceWith(() => ({ done, gone: null as never }));
  const result = at.completePayment(URL_1);
  await tick();
  expect(flows.size).toBe(1);
  settle({ status: 'expired' });
  expect(await result).toEqual({ status: 'expired' });
  await tick();
  expect(flows.size).toBe(0);
});

describe('the page', () => {
  it('does not interrupt a flow when the page is shown for the first time', async () => {
    flows = registry().flows;
    const { isSettled, call, result } = open({}, serviceOf());
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
    await tick();
    expect([isSettled(), call.close.mock.calls]).toEqual([false, []]);
    call.settle({ status: 'expired' });
    await result;
  });

  it('settles an open flow when the page is restored from the back-forward cache', async () => {
    flows = registry().flows;
    const { result, call } = open({}, serviceOf());
    const event = Object.assign(new Event('pageshow'), { persisted: true });
    dispatchEvent(event);
    expect(await result).toEqual({ status: 'unknown' });
    expect(call.close).toHaveBeenCalled();
  });

  it('returns the focus to the element that had it, unless the page moved it', async () => {
    const button = document.body.appendChild(document.createElement('button'));
    const other = document.body.appendChild(document.createElement('button'));
    button.focus();
    const first = open();
    button.blur();
    first.call.settle({ status: 'expired' });
    await first.result;
    expect(document.activeElement).toBe(button);
    const second = open();
    other.focus();
    second.call.settle({ status: 'expired' });
    await second.result;
    expect(document.activeElement).toBe(other);
  });

  it('does not move the focus after an inline flow', async () => {
    const button = document.body.appendChild(document.createElement('button'));
    button.focus();
    const { result, call } = open({ container: inline() });
    button.blur();
    call.settle({ status: 'expired' });
    await result;
    expect(document.activeElement).toBe(document.body);
  });

  it('leaves no listeners', async () => {
    const added = vi.spyOn(globalThis, 'addEventListener');
    const removed = vi.spyOn(globalThis, 'removeEventListener');
    const controller = new AbortController();
    const onSignal = vi.spyOn(controller.signal, 'addEventListener');
    const offSignal = vi.spyOn(controller.signal, 'removeEventListener');
    const { result, call } = open({ signal: controller.signal });
    call.settle({ status: 'expired' });
    await result;
    expect(removed.mock.calls).toEqual(added.mock.calls);
    expect(offSignal.mock.calls).toEqual(onSignal.mock.calls);
  });
});

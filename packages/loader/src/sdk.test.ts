import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contractAdapter, type FlowEvent } from './sdk.js';

const SESSION = 'https://pay.test/s/stg_1#secret';

// Frames stay about:blank here; where their loading is disabled, each would be reported.
Object(globalThis).happyDOM.settings.enableIframePageLoading = true;

const events: FlowEvent[] = [];
const call = (service: unknown, over: { container?: Element; flow?: 'payment' | 'other' } = {}) =>
  contractAdapter(service, {
    flow: 'payment',
    url: SESSION,
    emit: (event) => void events.push(event),
    ...over,
  });

function frame(src = 'https://pay.test/s/stg_1', place: 'append' | 'prepend' = 'append'): HTMLIFrameElement {
  const element = document.createElement('iframe');
  document.body[place](element);
  // Only for the adapter to read: happy-dom would fetch it.
  Object.defineProperty(element, 'src', { value: src });
  return element;
}

/** An SDK that only emits. */
function emitter() {
  const handlers = new Map<string, (event: unknown) => void>();
  return {
    completePayment: () => undefined,
    startFlow: () => undefined,
    on: (type: string, handler: (event: unknown) => void) => {
      handlers.set(type, handler);
      return () => void handlers.delete(type);
    },
    say: (type: string, event?: unknown) => handlers.get(type)?.(event),
    handlers,
  };
}

beforeEach(() => {
  events.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe('calls the contract’s methods', () => {
  it('R-4 completePayment(sessionUrl) for a payment, startFlow(sessionUrl) for the others, with the SDK as this', () => {
    const seen: unknown[] = [];
    const service = {
      completePayment(...args: unknown[]) {
        seen.push(this === service, 'completePayment', ...args);
      },
      startFlow(...args: unknown[]) {
        seen.push(this === service, 'startFlow', ...args);
      },
    };
    const container = document.createElement('div');
    call(service);
    call(service, { flow: 'other', container });
    expect(seen).toEqual([true, 'completePayment', SESSION, true, 'startFlow', SESSION, { container }]);
  });

  it('rejects with what they throw, and listens no more', async () => {
    const sdk = emitter();
    sdk.completePayment = () => {
      throw new Error('no');
    };
    await expect(call(sdk).done).rejects.toThrow('no');
    expect(sdk.handlers.size).toBe(0);
  });
});

describe('an SDK that returns a promise', () => {
  it('is believed, and is concurrent where it can close', async () => {
    const promise = (close?: () => void) =>
      Object.assign(Promise.resolve({ status: 'expired' }), close && { close });
    const close = vi.fn();
    const handle = call({ completePayment: () => promise(close) });
    expect(await handle.done).toEqual({ status: 'expired' });
    expect(handle.concurrent).toBe(true);
    await handle.close?.();
    expect(close).toHaveBeenCalledOnce();
    expect(call({ completePayment: () => promise() }).concurrent).toBe(false);
  });

  it('rejects as it rejects', async () => {
    const error = new Error('no');
    await expect(call({ completePayment: () => Promise.reject(error) }).done).rejects.toBe(error);
  });

  it('tells of its progress by events, of this session’s alone, and of its end by the promise alone', async () => {
    const sdk = emitter();
    let settle!: (value: unknown) => void;
    sdk.completePayment = (() =>
      Object.assign(new Promise((resolve) => (settle = resolve)), { close: () => {} })) as never;
    const { done } = call(sdk);
    sdk.say('ready', { type: 'ready', sessionId: 'stg_1' });
    sdk.say('processing', { type: 'processing', sessionId: 'stg_2' });
    sdk.say('closed', { type: 'closed', sessionId: 'stg_1' });
    expect(events).toEqual([{ type: 'ready', sessionId: 'stg_1' }]);
    settle({ status: 'canceled', by: 'payer' });
    expect(await done).toEqual({ status: 'canceled', by: 'payer' });
    expect(sdk.handlers.size).toBe(0);
  });

  it('that says nothing we know ends as unknown, while its frame is shown not before that is gone', async () => {
    const shown: HTMLIFrameElement[] = [];
    const handle = call({
      completePayment: async () => {
        shown.push(frame());
      },
    });
    let settled = false;
    void handle.done.then(() => (settled = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(settled).toBe(false);
    shown[0]?.remove();
    expect(await handle.done).not.toMatchObject({ status: 'completed' });
    expect(await call({ completePayment: async () => 'ok' }).done).not.toMatchObject({ status: 'completed' });
  });

  it('that says nothing, and shows a frame whose address tells nothing, has not ended while it is shown', async () => {
    const shown: HTMLIFrameElement[] = [];
    const { done } = call({
      completePayment: async () => {
        shown.push(frame(''));
      },
    });
    let settled = false;
    void done.then(() => (settled = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([settled, events]).toEqual([false, []]);
    shown[0]?.remove();
    await done;
  });

  it('that answers with a status that is no word ends as unknown', async () => {
    for (const status of [Symbol('paid'), Object.create(null), ['completed']])
      expect(await call({ completePayment: async () => ({ status }) }).done).not.toHaveProperty('status');
  });

  it('that never settles ends when its frame is gone', async () => {
    let shown!: HTMLIFrameElement;
    const handle = call({
      completePayment: () => {
        shown = frame();
        return new Promise(() => {});
      },
    });
    frame('https://ads.test/').remove();
    await new Promise((resolve) => setTimeout(resolve, 5));
    shown.remove();
    await handle.done;
  });
});

describe('an SDK that only emits events', () => {
  it.each([
    ['closed', undefined, undefined],
    [
      'closed',
      { type: 'closed', detail: { status: 'canceled', by: 'payer' } },
      { status: 'canceled', by: 'payer' },
    ],
  ])('ends at %s', async (type, event, expected) => {
    const sdk = emitter();
    const { done } = call(sdk);
    sdk.say(type, event);
    expect(await done).toEqual(expected);
    expect(sdk.handlers.size).toBe(0);
  });

  it('rejects at error, with the SDK’s own', async () => {
    const sdk = emitter();
    const { done } = call(sdk);
    const error = new Error('no');
    sdk.say('error', error);
    await expect(done).rejects.toBe(error);
  });

  it('forwards the verdict with its detail, whatever its shape', () => {
    const sdk = emitter();
    call(sdk);
    sdk.say('completed', { receipt: 7 });
    sdk.say('completed', { type: 'completed', sessionId: 'stg_1', detail: { receipt: 7 } });
    expect(events).toEqual([
      { type: 'completed', detail: { receipt: 7 } },
      { type: 'completed', sessionId: 'stg_1', detail: { receipt: 7 } },
    ]);
  });

  it('ends after its verdict when it never says closed', async () => {
    vi.useFakeTimers();
    const sdk = emitter();
    const { done } = call(sdk);
    sdk.say('completed', {});
    await vi.advanceTimersByTimeAsync(10_000);
    await done;
  });

  it('is not given up while it has said no verdict, however long it takes', async () => {
    vi.useFakeTimers();
    const sdk = emitter();
    const { done } = call(sdk);
    const ended = vi.fn();
    void done.then(ended, ended);
    sdk.say('ready', {});
    sdk.say('processing', {});
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ended).not.toHaveBeenCalled();
    expect(events.map(({ type }) => type)).toEqual(['ready', 'processing']);
  });

  it('may refuse the names of events that it does not have', async () => {
    const sdk = emitter();
    const { done } = call({
      ...sdk,
      on: (type: string, handler: never) => {
        if (type === 'ready' || type === 'processing') throw new Error(`no event ${type}`);
        return sdk.on(type, handler);
      },
    });
    sdk.say('closed', { type: 'closed', detail: { status: 'canceled', by: 'payer' } });
    expect(await done).toEqual({ status: 'canceled', by: 'payer' });
  });

  it('may return something else from on() than a function', async () => {
    const sdk = emitter();
    const { done } = call({ ...sdk, on: (type: string, handler: never) => (sdk.on(type, handler), sdk) });
    sdk.say('closed');
    await done;
  });
});

describe('an SDK that says nothing', () => {
  it('ends when the frame that the call added is gone, and not by another one', async () => {
    const older = frame('https://old.test/');
    let shown!: HTMLIFrameElement;
    const { done } = call({ completePayment: () => void (shown = frame()) });
    let settled = false;
    void done.then(() => (settled = true));
    older.remove();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(settled).toBe(false);
    shown.remove();
    await done;
  });

  it('ends when its frame is gone, whatever frames the page shows meanwhile', async () => {
    let shown!: HTMLIFrameElement;
    const { done } = call({ completePayment: () => void (shown = frame()) });
    await new Promise((resolve) => setTimeout(resolve, 5));
    frame('https://chat.test/', 'prepend');
    await new Promise((resolve) => setTimeout(resolve, 5));
    shown.remove();
    await done;
  });

  it('ends when the session’s frame is gone, though another one was there before it', async () => {
    let shown!: HTMLIFrameElement;
    const { done } = call({ completePayment: () => void setTimeout(() => (shown = frame()), 20) });
    frame('https://chat.test/');
    await vi.waitUntil(() => shown);
    await new Promise((resolve) => setTimeout(resolve, 5));
    shown.remove();
    await done;
  });

  it('has not ended while it replaces its frame', async () => {
    let shown!: HTMLIFrameElement;
    const { done } = call({ completePayment: () => void (shown = frame()) });
    let settled = false;
    void done.then(() => (settled = true));
    shown.remove();
    await new Promise((resolve) => setTimeout(resolve, 100));
    shown = frame();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(settled).toBe(false);
    shown.remove();
    await done;
  });

  it('and shows no frame within 10 s is unobservable', async () => {
    vi.useFakeTimers();
    const { done } = call({ completePayment: () => undefined });
    await vi.advanceTimersByTimeAsync(9_900);
    expect(events).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(events).toEqual([{ type: 'unobservable' }]);
    await done;
  });
});

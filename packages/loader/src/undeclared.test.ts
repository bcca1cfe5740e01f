import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { undeclaredAdapter } from './undeclared.js';
import type { FlowEvent, OpenOptions } from './sdk.js';

const SESSION = 'https://pay.test/s/stg_1#secret';

// Keep frames at about:blank. happy-dom would log each frame that it may not load.
Object(globalThis).happyDOM.settings.enableIframePageLoading = true;

// happy-dom has no layout, so give elements on the page a height.
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
  get(this: HTMLElement) {
    return this.isConnected ? 10 : 0;
  },
});

const events: FlowEvent[] = [];
const call = (service: unknown, over: OpenOptions & { flow?: 'payment' | 'other'; url?: string } = {}) =>
  undeclaredAdapter(service, {
    flow: 'payment',
    url: SESSION,
    emit: (event) => void events.push(event),
    ...over,
  });

function frame(
  src = 'https://pay.test/s/stg_1',
  place: 'append' | 'prepend' = 'append',
  parent: HTMLElement = document.body,
): HTMLIFrameElement {
  const element = document.createElement('iframe');
  parent[place](element);
  // Define `src` instead of setting it, because happy-dom would fetch it.
  Object.defineProperty(element, 'src', { value: src });
  return element;
}

/** An SDK that only emits events. */
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

/** What each event of such an SDK does. The loader itself reports those that are ignored. */
const EFFECT: Record<FlowEvent['type'], 'forwarded' | 'final' | 'ignored'> = {
  opened: 'ignored',
  ready: 'forwarded',
  processing: 'forwarded',
  completed: 'forwarded',
  expired: 'forwarded',
  error: 'final',
  closed: 'final',
  unobservable: 'ignored',
};

const settles = async ({ done }: { done: Promise<unknown> }, ms: number) => {
  const ended = vi.fn();
  void done.then(ended, ended);
  await vi.advanceTimersByTimeAsync(ms);
  return ended.mock.calls.length > 0;
};

beforeEach(() => {
  vi.useFakeTimers();
  events.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it.each([
  ['in a modal', undefined, 'https://pay.test/s/stg_1'],
  ['in its container', 'container', ''],
])('stops searching the page once it has seen the frame of a flow %s', async (_, place, src) => {
  const container =
    place === undefined ? undefined : document.body.appendChild(document.createElement('div'));
  const search = vi.spyOn(document, 'querySelectorAll');
  const handle = call(
    {
      completePayment: () => void frame(src, 'append', container),
      startFlow: () => undefined,
    },
    container && { container },
  );
  await vi.advanceTimersByTimeAsync(500);
  search.mockClear();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(search).not.toHaveBeenCalled();
  document.querySelector('iframe')?.remove();
  expect(await settles(handle, 1_000)).toBe(true);
});

it('searches the page at most once per second until it sees a frame, however often the page changes', async () => {
  const search = vi.spyOn(document, 'querySelectorAll');
  call({ ...emitter(), completePayment: () => undefined });
  for (let tick = 0; tick < 50; tick++) {
    document.body.append(document.createElement('p'));
    await vi.advanceTimersByTimeAsync(100);
  }
  // One before the call, then one per second.
  expect(search.mock.calls.length).toBeLessThanOrEqual(6);
});

describe('calling the contract’s methods', () => {
  it('R-4 calls completePayment for a payment and startFlow for other flows, with the SDK as `this`', () => {
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

  it('R-70 passes language and appearance to any SDK', () => {
    const completePayment = vi.fn();
    call({ completePayment }, { locale: 'ht', appearance: { accent: '#336699' } });
    expect(completePayment).toHaveBeenCalledWith(SESSION, {
      locale: 'ht',
      appearance: { accent: '#336699' },
    });
  });

  it('rejects if they throw', async () => {
    const sdk = emitter();
    sdk.completePayment = () => {
      throw new Error('no');
    };
    await expect(call(sdk).done).rejects.toThrow('no');
  });
});

describe('an SDK that returns a promise', () => {
  it('settles with its result, and is concurrent if it has close()', async () => {
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

  it('rejects with its error', async () => {
    const error = new Error('no');
    await expect(call({ completePayment: () => Promise.reject(error) }).done).rejects.toBe(error);
  });

  it('reports progress by events of its own session and ends only with the promise', async () => {
    const sdk = emitter();
    let settle!: (value: unknown) => void;
    sdk.completePayment = (() =>
      Object.assign(new Promise((resolve) => (settle = resolve)), { close: () => {} })) as never;
    const { done } = call(sdk);
    sdk.say('ready', { type: 'ready', sessionId: 'stg_1' });
    sdk.say('processing', { type: 'processing', sessionId: 'stg_2' });
    sdk.say('closed', { type: 'closed', sessionId: 'stg_1' });
    expect(events).toEqual([{ type: 'ready', sessionId: 'stg_1', detail: undefined }]);
    settle({ status: 'canceled', by: 'payer' });
    expect(await done).toEqual({ status: 'canceled', by: 'payer' });
  });

  it.each(['closed', 'error'])('ignores a %s event while the promise is pending', async (type) => {
    const sdk = emitter();
    let settle!: (value: unknown) => void;
    sdk.completePayment = (() => new Promise((resolve) => (settle = resolve))) as never;
    const handle = call(sdk);
    sdk.say(type, { type, detail: { status: 'canceled', by: 'payer' } });
    expect(await settles(handle, 100)).toBe(false);
    settle({ status: 'completed', detail: 1 });
    expect(await handle.done).toEqual({ status: 'completed', detail: 1 });
  });

  it('gives the next verdict to the next flow after a rejection', async () => {
    const sdk = emitter();
    sdk.completePayment = (() => Promise.reject(new Error('no'))) as never;
    await expect(call(sdk).done).rejects.toThrow('no');
    call(Object.assign(sdk, { completePayment: () => undefined }));
    sdk.say('completed', 'second');
    expect(events).toEqual([{ type: 'completed', detail: 'second' }]);
  });

  it('gives the next verdict to the next flow after its promise resolved', async () => {
    const sdk = emitter();
    let settle!: (value: unknown) => void;
    sdk.completePayment = (() => new Promise((resolve) => (settle = resolve))) as never;
    const first = call(sdk);
    sdk.say('processing');
    settle({ status: 'completed', detail: 1 });
    expect(await first.done).toEqual({ status: 'completed', detail: 1 });
    call(sdk);
    events.length = 0;
    sdk.say('completed', 'second');
    expect(events).toEqual([{ type: 'completed', detail: 'second' }]);
  });

  it.each([undefined, 'ok', { ok: true }, { status: 'paid' }])(
    'stays open after its promise resolves with %j, until its frame is gone',
    async (value) => {
      const shown: HTMLIFrameElement[] = [];
      const handle = call({ completePayment: async () => (shown.push(frame('')), value) });
      expect(await settles(handle, 60_000)).toBe(false);
      shown[0]?.remove();
      expect(await settles(handle, 1_000)).toBe(true);
      expect(await handle.done).toBeUndefined();
      expect(events).toEqual([]);
    },
  );

  it('is unobservable if it resolves with nothing and shows nothing for 10 s', async () => {
    const handle = call({ completePayment: async () => undefined });
    expect(await settles(handle, 9_900)).toBe(false);
    expect(await settles(handle, 400)).toBe(true);
    expect(events).toEqual([{ type: 'unobservable' }]);
  });

  it('ends by events if its promise resolves on opening', async () => {
    const sdk = emitter();
    sdk.completePayment = (async () => undefined) as never;
    const handle = call(sdk);
    expect(await settles(handle, 60_000)).toBe(false);
    sdk.say('completed', { detail: 7 });
    expect(events).toEqual([{ type: 'completed', detail: 7 }]);
    sdk.say('closed');
    expect(await settles(handle, 0)).toBe(true);
  });

  it('ends as unknown if the status is not a string', async () => {
    for (const status of [Symbol('paid'), Object.create(null), ['completed']]) {
      const handle = call({ completePayment: async () => ({ status }) });
      expect(await settles(handle, 11_000)).toBe(true);
      expect(await handle.done).toBeUndefined();
    }
  });

  it.each(['https://pay.test/s/stg_1', 'https://elsewhere.test/', ''])(
    'ends when its frame at %j is gone, even if its promise never settles',
    async (src) => {
      let shown!: HTMLIFrameElement;
      const handle = call({
        completePayment: () => {
          shown = frame(src);
          return new Promise(() => {});
        },
      });
      frame('https://ads.test/').remove();
      expect(await settles(handle, 60_000)).toBe(false);
      shown.remove();
      expect(await settles(handle, 1_000)).toBe(true);
    },
  );

  it('ends after the longest session if it never settles and never shows a frame', async () => {
    const handle = call({ completePayment: () => new Promise(() => {}) });
    expect(await settles(handle, 61 * 60_000)).toBe(false);
    expect(await settles(handle, 60 * 60_000)).toBe(true);
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
    await vi.advanceTimersByTimeAsync(0);
    expect(await done).toEqual(expected);
  });

  it('rejects with the SDK’s own error', async () => {
    const sdk = emitter();
    const { done } = call(sdk);
    const error = new Error('no');
    sdk.say('error', error);
    await expect(done).rejects.toBe(error);
  });

  it('occupies the page after an error until its frame is gone', async () => {
    const sdk = emitter();
    let shown!: HTMLIFrameElement;
    sdk.completePayment = () => void (shown = frame());
    const first = call(sdk);
    sdk.say('error', new Error('no'));
    await expect(first.done).rejects.toThrow('no');
    expect(await settles({ done: first.gone! }, 60_000)).toBe(false);
    shown.remove();
    expect(await settles({ done: first.gone! }, 1_000)).toBe(true);
    const second = call({ ...sdk, completePayment: () => undefined });
    sdk.say('error', 'no');
    await expect(second.done).rejects.toBe('no');
    expect(await settles({ done: second.gone! }, 1_000)).toBe(true);
  });

  it('may use its own session ids, and an id never means two sessions', async () => {
    const sdk = emitter();
    const first = call(sdk);
    sdk.say('ready', { type: 'ready', sessionId: 'A' });
    sdk.say('closed');
    await settles(first, 0);
    call(sdk, { url: 'https://pay.test/s/stg_2#x' });
    events.length = 0;
    sdk.say('completed', { type: 'completed', sessionId: 'A' });
    sdk.say('completed', { type: 'completed', sessionId: 'stg_1' });
    expect(events).toEqual([]);
    sdk.say('completed', { type: 'completed', sessionId: 'B', detail: 2 });
    expect(events).toEqual([{ type: 'completed', sessionId: 'B', detail: 2 }]);
  });

  it.each(['completed', 'expired', 'error'])(
    'does not attribute a late %s event of a payment in flight to the next flow',
    async (type) => {
      const sdk = emitter();
      const first = call(sdk);
      sdk.say('processing');
      sdk.say('closed');
      await settles(first, 0);
      const second = call(sdk);
      events.length = 0;
      sdk.say(type, 'first');
      expect(events).toEqual([]);
      expect(await settles(second, 100)).toBe(false);
      sdk.say('completed', 'second');
      expect(events).toEqual([{ type: 'completed', detail: 'second' }]);
    },
  );

  it('waits for a missing verdict for at most 20 more flows', async () => {
    const sdk = emitter();
    const first = call(sdk);
    sdk.say('processing');
    sdk.say('closed');
    await settles(first, 0);
    for (let flows = 0; flows < 20; flows++) {
      const next = call(sdk);
      sdk.say('closed');
      await settles(next, 0);
    }
    call(sdk);
    events.length = 0;
    sdk.say('completed', 'new');
    expect(events).toEqual([{ type: 'completed', detail: 'new' }]);
  });

  it('gives the next verdict to the next flow if nothing was in flight', async () => {
    const sdk = emitter();
    const first = call(sdk);
    sdk.say('closed');
    await settles(first, 0);
    call(sdk);
    events.length = 0;
    sdk.say('completed', 'second');
    expect(events).toEqual([{ type: 'completed', detail: 'second' }]);
  });

  it('ends if it reports closed during the call', async () => {
    const sdk = emitter();
    sdk.completePayment = () => sdk.say('closed') as undefined;
    expect(await settles(call(sdk), 0)).toBe(true);
  });

  it('leaves no timer if an inline flow reports its verdict during the call', () => {
    const container = document.body.appendChild(document.createElement('div'));
    const sdk = emitter();
    sdk.completePayment = () => sdk.say('completed') as undefined;
    call(sdk, { container });
    expect(events).toMatchObject([{ type: 'completed' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may emit events of unknown sessions, also while nothing is open', async () => {
    const sdk = emitter();
    const { done } = call(sdk);
    sdk.say('closed');
    await settles({ done }, 0);
    events.length = 0;
    expect(() => sdk.say('ready', { type: 'ready', sessionId: 'Z' })).not.toThrow();
    expect(events).toEqual([]);
  });

  it.each([true, false])(
    'R-56 reports each event once, whether the SDK supports unsubscribing or not: %j',
    (letsGo) => {
      const handlers = new Set<(event: unknown) => void>();
      const sdk = {
        ...emitter(),
        on(type: string, handler: (event: unknown) => void) {
          if (type !== 'ready') return undefined;
          handlers.add(handler);
          return letsGo ? () => handlers.delete(handler) : undefined;
        },
      };
      call(sdk);
      call(sdk, { url: 'https://pay.test/s/stg_2' });
      handlers.forEach((handler) => handler({ type: 'ready', sessionId: 'stg_2' }));
      expect(events).toEqual([{ type: 'ready', sessionId: 'stg_2', detail: undefined }]);
      expect(handlers.size).toBe(letsGo ? 1 : 2);
    },
  );

  it.each(Object.entries(EFFECT))('R-56 reports %s, which is %s', async (type, effect) => {
    const sdk = emitter();
    const handle = call(sdk);
    sdk.say(type);
    expect(events.map((event) => event.type)).toEqual(effect === 'forwarded' ? [type] : []);
    expect(await settles(handle, 0)).toBe(effect === 'final');
  });

  it('frees an inline container at the verdict, or when its promise settles', async () => {
    const container = document.body.appendChild(document.createElement('div'));
    const [sdk, promising] = [emitter(), emitter()];
    promising.completePayment = (() => new Promise(() => {})) as never;
    const first = call(sdk, { container });
    const second = call(promising, { container });
    for (const each of [sdk, promising]) each.say('completed');
    expect(await settles({ done: first.gone! }, 0)).toBe(true);
    expect(await settles({ done: second.gone! }, 60_000)).toBe(false);
  });

  it('attributes a late closed event to the previous flow, whose frame is gone', async () => {
    const sdk = emitter();
    let shown!: HTMLIFrameElement;
    sdk.completePayment = () => void (shown = frame());
    const first = call(sdk);
    sdk.say('completed', 1);
    shown.remove();
    expect(await settles({ done: first.gone! }, 1_000)).toBe(true);
    const second = call(sdk);
    sdk.say('closed');
    expect(await settles(second, 100)).toBe(false);
    sdk.say('closed');
    expect(await settles(second, 100)).toBe(true);
  });

  it('may report closed before the verdict', async () => {
    const sdk = emitter();
    const { done } = call(sdk);
    sdk.say('closed');
    sdk.say('completed', 7);
    expect(await settles({ done }, 0)).toBe(true);
    expect(events).toEqual([{ type: 'completed', detail: 7 }]);
  });

  it('R-56 adds one listener per event, however many flows it opened', async () => {
    const kept = new Map<string, Set<unknown>>();
    const on = (type: string, handler: unknown) => {
      const ofType = kept.get(type) ?? new Set();
      kept.set(type, ofType.add(handler));
      return () => void ofType.delete(handler);
    };
    const sdk = { completePayment: () => undefined, on };
    for (let flows = 0; flows < 3; flows++) call(sdk);
    expect([...kept.values()].map(({ size }) => size)).toEqual([...kept.values()].map(() => 1));
    expect(kept.has('completed')).toBe(true);
  });

  it('R-56 reports the verdict of each flow if the SDK drops its listeners when a flow ends', async () => {
    const sdk = { ...emitter(), completePayment: () => void frame() };
    for (const detail of ['first', 'second']) {
      const handle = call(sdk);
      sdk.say('completed', detail);
      sdk.say('closed');
      sdk.handlers.clear();
      document.querySelector('iframe')?.remove();
      expect(await settles(handle, 1_000)).toBe(true);
    }
    expect(events.map(({ detail }) => detail)).toEqual(['first', 'second']);
  });

  it('ignores an event that the SDK replays on subscription', async () => {
    const sdk = emitter();
    const again = {
      ...sdk,
      on: (type: string, handler: (event: unknown) => void) => (handler('old'), sdk.on(type, handler)),
    };
    const { done } = call(again);
    expect(await settles({ done }, 11_000)).toBe(false);
    expect(events).toEqual([]);
    sdk.say('completed', 'new');
    expect(events).toEqual([{ type: 'completed', detail: 'new' }]);
  });

  it('forwards the verdict with its detail in any shape', () => {
    const sdk = emitter();
    call(sdk);
    sdk.say('completed', { receipt: 7 });
    sdk.say('completed', { type: 'card', receipt: 7 });
    sdk.say('completed', { type: 'completed', sessionId: 'stg_1', detail: { receipt: 7 } });
    expect(events).toEqual([
      { type: 'completed', detail: { receipt: 7 } },
      { type: 'completed', detail: { type: 'card', receipt: 7 } },
      { type: 'completed', sessionId: 'stg_1', detail: { receipt: 7 } },
    ]);
  });

  it.each(['completed', 'expired'])(
    'ends after the verdict %s even if it never reports closed',
    async (type) => {
      const sdk = emitter();
      const handle = call(sdk);
      sdk.say(type, {});
      expect(events).toMatchObject([{ type }]);
      expect(await settles(handle, 10_400)).toBe(true);
    },
  );

  it('has no time limit for its verdict', async () => {
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

  it('may throw for unknown event names', async () => {
    const sdk = emitter();
    const { done } = call({
      ...sdk,
      on: (type: string, handler: never) => {
        if (type === 'ready' || type === 'processing') throw new Error(`no event ${type}`);
        return sdk.on(type, handler);
      },
    });
    sdk.say('closed', { type: 'closed', detail: { status: 'canceled', by: 'payer' } });
    await vi.advanceTimersByTimeAsync(0);
    expect(await done).toEqual({ status: 'canceled', by: 'payer' });
  });

  it('may return anything from on()', async () => {
    const sdk = emitter();
    const { done } = call({ ...sdk, on: (type: string, handler: never) => (sdk.on(type, handler), sdk) });
    sdk.say('closed');
    await vi.advanceTimersByTimeAsync(0);
    await done;
  });
});

describe('an SDK that is asked to close', () => {
  it('frees the page if it cannot close and nothing was ever visible', async () => {
    const unseen = call({ completePayment: () => undefined });
    await expect(unseen.close?.()).resolves.toBeUndefined();
    expect(await settles({ done: unseen.gone ?? unseen.done }, 0)).toBe(true);
    const shown = call({ completePayment: () => void frame() });
    await expect(shown.close?.()).resolves.toBeUndefined();
    expect(await settles({ done: shown.gone ?? shown.done }, 5_000)).toBe(false);
  });

  it('occupies the page until it reports closed', async () => {
    const sdk = emitter();
    const close = vi.fn();
    sdk.completePayment = (() => ({ close })) as never;
    const handle = call(sdk);
    await handle.close?.();
    expect(close).toHaveBeenCalledOnce();
    expect(await settles({ done: handle.gone! }, 5_000)).toBe(false);
    sdk.say('closed');
    expect(await settles({ done: handle.gone! }, 0)).toBe(true);
  });
});

describe('an SDK that reports nothing', () => {
  const silent = (show: () => void) => call({ completePayment: show });

  it('ends when the frame that the call added is gone, not when another frame is', async () => {
    const older = frame('https://old.test/');
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = frame()));
    older.remove();
    expect(await settles(handle, 1_000)).toBe(false);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('ends when its frame is gone, even if it is from another host and precedes the page’s own frames', async () => {
    frame('https://old.test/');
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = frame('https://cdn.test/', 'prepend')));
    expect(await settles(handle, 1_000)).toBe(false);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  const hide = <E extends HTMLElement>(element: E, isHidden = true): E =>
    Object.defineProperty(element, 'offsetHeight', { configurable: true, value: isHidden ? 0 : 10 });

  it('stays open while its frame is hidden during loading', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = hide(frame('https://cdn.test/'))));
    expect(await settles(handle, 60_000)).toBe(false);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
    expect(events).toEqual([]);
  });

  it('R-60 ends when its frame of another host is gone, even if another script’s frame appeared before it was shown', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = hide(frame('https://cdn.test/'))));
    await settles(handle, 500);
    frame('https://chat.test/');
    await settles(handle, 500);
    hide(shown, false);
    expect(await settles(handle, 60_000)).toBe(false);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
    expect(events).toEqual([]);
  });

  it('R-60 is observable if it adds its frame after the call and shows it once it has loaded', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => void setTimeout(() => (shown = hide(frame())), 300));
    expect(await settles(handle, 12_000)).toBe(false);
    hide(shown, false);
    expect(await settles(handle, 60_000)).toBe(false);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
    expect(events).toEqual([]);
  });

  it('R-60 ends when it hides its frame, but not when the page hides the container', async () => {
    const container = document.body.appendChild(document.createElement('div'));
    let shown!: HTMLIFrameElement;
    const completePayment = () => void (shown = frame('https://pay.test/s/stg_1', 'append', container));
    const handle = call({ completePayment }, { container });
    await settles(handle, 500);
    hide(container);
    hide(shown);
    expect(await settles(handle, 60_000)).toBe(false);
    hide(container, false);
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it.each([
    ['at its own host', SESSION, 0],
    ['at another host, and late', 'https://cdn.test/', 1_000],
  ])('ends when its frame, %s, is gone, whatever else the page shows', async (_, src, afterMs) => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => setTimeout(() => (shown = frame(src)), afterMs));
    await settles(handle, afterMs + 500);
    frame('https://chat.test/', 'prepend');
    await settles(handle, 500);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('stays open while another frame of its host comes and goes', async () => {
    const handle = silent(() => frame());
    await settles(handle, 500);
    const other = frame('https://pay.test/badge');
    await settles(handle, 500);
    other.remove();
    expect(await settles(handle, 2_000)).toBe(false);
  });

  it('ends when its frame is gone, even if another appears at the same time', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = frame()));
    await settles(handle, 500);
    shown.remove();
    frame('https://chat.test/');
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('ends when the session’s frame is gone, even if another appeared first', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => setTimeout(() => (shown = frame()), 1_000));
    frame('https://chat.test/');
    await settles(handle, 2_000);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('stays open while it replaces its frame', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = frame()));
    await settles(handle, 500);
    shown.remove();
    await settles(handle, 300);
    shown = frame();
    expect(await settles(handle, 2_000)).toBe(false);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('stays open if the new frame appears before the old one is removed', async () => {
    let first!: HTMLIFrameElement;
    const handle = silent(() => (first = frame()));
    await settles(handle, 500);
    const second = frame('https://pay.test/s/stg_1?again');
    await settles(handle, 500);
    first.remove();
    expect(await settles(handle, 2_000)).toBe(false);
    second.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('ends when it hides its frame, even if another frame of its host is visible', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = frame()));
    await settles(handle, 500);
    frame('https://pay.test/badge');
    await settles(handle, 500);
    hide(shown);
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('ends when the session’s frame is gone, even if an earlier frame stays', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => {
      frame('https://risk.test/');
      setTimeout(() => (shown = frame()), 1_000);
    });
    await settles(handle, 2_000);
    shown.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('stays open when it shows its first frame again', async () => {
    const handle = silent(() => undefined);
    await settles(handle, 500);
    const first = frame('');
    await settles(handle, 500);
    first.remove();
    const second = frame('');
    await settles(handle, 500);
    second.remove();
    document.body.append(first);
    expect(await settles(handle, 2_000)).toBe(false);
    first.remove();
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('ends when it hides a frame that it keeps for reuse', async () => {
    const kept = hide(frame());
    const handle = silent(() => undefined);
    await settles(handle, 500);
    hide(kept, false);
    expect(await settles(handle, 60_000)).toBe(false);
    hide(kept);
    expect(await settles(handle, 1_000)).toBe(true);
    expect(events).toEqual([]);
  });

  it.each([
    ['opacity', '0'],
    ['visibility', 'hidden'],
    ['display', 'none'],
  ] as const)('R-60 ends when it hides its frame by %s: %s', async (property, value) => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => (shown = frame()));
    expect(await settles(handle, 2_000)).toBe(false);
    shown.style[property] = value;
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it('R-60 ends when it hides its frame, in a browser without checkVisibility', async () => {
    let shown!: HTMLIFrameElement;
    const handle = silent(() => {
      shown = frame();
      Object.assign(shown, { checkVisibility: undefined });
    });
    expect(await settles(handle, 2_000)).toBe(false);
    hide(shown);
    expect(await settles(handle, 1_000)).toBe(true);
  });

  it.each<[string, (container: HTMLElement) => unknown]>([
    ['what its container holds', (container) => container.append(document.createElement('p'))],
    ['a frame that was hidden before', () => hide(frame())],
    ['another script’s earlier hidden frame', () => hide(frame('https://ads.test/'))],
    ['another script’s later hidden frame', () => setTimeout(() => hide(frame('https://ads.test/')), 1_000)],
  ])('R-60 is unobservable despite %s', async (_, put) => {
    const container = document.body.appendChild(document.createElement('div'));
    put(container);
    const handle = call({ completePayment: () => undefined }, { container });
    expect(await settles(handle, 10_400)).toBe(true);
    expect(events).toEqual([{ type: 'unobservable' }]);
  });

  it('is unobservable if it shows no frame within 10 s', async () => {
    const handle = silent(() => undefined);
    expect(await settles(handle, 9_999)).toBe(false);
    expect(events).toEqual([]);
    expect(await settles(handle, 1)).toBe(true);
    expect(events).toEqual([{ type: 'unobservable' }]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { declaredAdapter } from './declared.js';
import type { FlowEvent, FlowResult, ServiceGlobal } from './sdk.js';

const SESSION = 'https://pay.test/s/stg_1#secret';

// Keep frames at about:blank. happy-dom would log each frame that it may not load.
Object(globalThis).happyDOM.settings.enableIframePageLoading = true;

/** An SDK that declares the protocol. */
class DeclaredSdk implements ServiceGlobal {
  readonly protocol = 1;
  readonly close = vi.fn(async () => this.settle({ status: 'canceled', by: 'merchant' }));
  readonly handlers = new Map<string, Set<(event: FlowEvent) => void>>();
  settle!: (result: FlowResult) => void;
  fail!: (error: unknown) => void;

  completePayment = vi.fn(() => this.#open());
  startFlow = vi.fn(() => this.#open());

  on(type: string, handler: (event: FlowEvent) => void): () => void {
    const handlers = this.handlers.get(type) ?? new Set();
    this.handlers.set(type, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  report(event: FlowEvent): void {
    this.handlers.get(event.type)?.forEach((handler) => handler(event));
  }

  get listeners(): number {
    return [...this.handlers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #open(): Promise<FlowResult> {
    const result = new Promise<FlowResult>((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    return Object.assign(result, { close: this.close });
  }
}

function open(sdk: ServiceGlobal, more: Partial<Parameters<typeof declaredAdapter>[1]> = {}) {
  const events: FlowEvent[] = [];
  const emit = (event: FlowEvent) => void events.push(event);
  return { events, handle: declaredAdapter(sdk, { flow: 'payment', url: SESSION, emit, ...more }) };
}

/** Whether the adapter forwards an event. The promise reports how the flow ends, and the loader reports the rest. */
const FORWARDED: Record<FlowEvent['type'], boolean> = {
  opened: false,
  ready: true,
  processing: true,
  completed: true,
  expired: true,
  error: false,
  closed: false,
  unobservable: false,
};

describe('an SDK with protocol 1', () => {
  it('R-4 calls the method of the flow with the options passed', () => {
    const sdk = new DeclaredSdk();
    const container = document.createElement('div');
    open(sdk);
    open(sdk, { flow: 'other', container, locale: 'es' });
    expect(sdk.completePayment).toHaveBeenCalledWith(SESSION, {});
    expect(sdk.startFlow).toHaveBeenCalledWith(SESSION, { container, locale: 'es' });
  });

  it('settles with its promise, which also closes the flow', async () => {
    const sdk = new DeclaredSdk();
    const { handle } = open(sdk);
    expect(handle.concurrent).toBe(true);
    await handle.close?.();
    expect(await handle.done).toEqual({ status: 'canceled', by: 'merchant' });
  });

  it('R-60 stays pending while its frame is hidden or replaced, and then reports the payment', async () => {
    const sdk = new DeclaredSdk();
    const frame = document.body.appendChild(document.createElement('iframe'));
    const { handle } = open(sdk);
    const settled = vi.fn();
    void handle.done.then(settled);
    vi.useFakeTimers();
    frame.style.visibility = 'hidden';
    await vi.advanceTimersByTimeAsync(60_000);
    frame.remove();
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect(settled).not.toHaveBeenCalled();
    sdk.settle({ status: 'completed', detail: 1 });
    expect(await handle.done).toEqual({ status: 'completed', detail: 1 });
  });

  it('never searches the page and starts no timer', async () => {
    vi.useFakeTimers();
    const search = vi.spyOn(document, 'querySelectorAll');
    open(new DeclaredSdk());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(search).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it.each(Object.entries(FORWARDED))('R-56 of its own session, forwards %s: %s', (type, isForwarded) => {
    const sdk = new DeclaredSdk();
    const { events } = open(sdk);
    const own = { type, sessionId: 'stg_1', detail: 7 } as FlowEvent;
    sdk.report({ ...own, sessionId: 'stg_2' });
    sdk.report(own);
    expect(events).toEqual(isForwarded ? [own] : []);
  });

  it.each<[string, (sdk: DeclaredSdk) => void]>([
    ['resolves', (sdk) => sdk.settle({ status: 'unknown' })],
    ['rejects', (sdk) => sdk.fail(new Error('no'))],
  ])('leaves no listener once its promise %s', async (_, end) => {
    const sdk = new DeclaredSdk();
    const { handle } = open(sdk);
    expect(sdk.listeners).toBeGreaterThan(0);
    end(sdk);
    await handle.done.catch(() => undefined);
    expect(sdk.listeners).toBe(0);
  });

  it('leaves no listeners if its method throws', () => {
    const sdk = new DeclaredSdk();
    sdk.completePayment.mockImplementation(() => {
      throw new Error('no');
    });
    expect(() => open(sdk)).toThrow('no');
    expect(sdk.listeners).toBe(0);
  });
});

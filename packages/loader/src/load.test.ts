// Tests loading without a network. e2e/loader tests tags and servers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLoaderError } from './error.js';
import { createLoader, loadService } from './load.js';
import type { LoaderEvent, LoaderOptions } from './options.js';
import type { OpenFlow } from './page-flows.js';
import { REGISTRY, registry, type Load, type Registry } from './registry.js';

const OPTIONS: LoaderOptions = {
  environment: 'staging',
  loaderUrl: 'https://pay.test/app/embedded.loader.js',
};
const page = globalThis as Record<symbol | string, unknown>;

beforeEach(() => {
  // A flow that a test left open polls for its frame. It must stop before the document is removed.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  delete page[REGISTRY];
  page['Service'] = {
    environment: 'staging',
    completePayment: () => new Promise(() => {}),
    startFlow: () => undefined,
  };
});
afterEach(() => {
  vi.useRealTimers();
  delete page['Service'];
});

const code = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return isLoaderError(error) && error.code;
  }
  return undefined;
};

describe('options', () => {
  it.each([
    undefined,
    null,
    {},
    { environment: 'staging' },
    { loaderUrls: { staging: OPTIONS.loaderUrl } },
    { ...OPTIONS, timeoutMs: 0 },
    { ...OPTIONS, timeoutMs: Number.NaN },
    { ...OPTIONS, timeoutMs: Number.POSITIVE_INFINITY },
    { ...OPTIONS, timeoutMs: 2 ** 31 },
    { ...OPTIONS, retries: -1 },
    { ...OPTIONS, retries: Number.NaN },
  ])('refuses %j as invalid_options, thrown by createLoader and rejected by loadService', async (options) => {
    expect(code(() => createLoader(options as LoaderOptions))).toBe('invalid_options');
    await expect(loadService(options as LoaderOptions)).rejects.toMatchObject({ code: 'invalid_options' });
  });

  it.each([
    ['a loaderUrl alone', { loaderUrl: OPTIONS.loaderUrl }, 'Set environment'],
    ['an environment alone', { environment: 'staging' }, 'Set loaderUrl'],
    ['a loaderUrl that is undefined', { environment: 'staging', loaderUrl: undefined }, 'Set loaderUrl'],
  ])('names missing options: %s', (_, options, message) => {
    expect(() => createLoader(options as LoaderOptions)).toThrow(message);
  });

  it('createLoader has no side effects', () => {
    createLoader(OPTIONS);
    expect(document.scripts).toHaveLength(0);
    expect(page[REGISTRY]).toBeUndefined();
  });
});

describe('one load per page', () => {
  it.each<[string, Partial<LoaderOptions>]>([
    ['loaderUrl', { loaderUrl: 'https://other.test/app/embedded.loader.js' }],
    ['globalName', { globalName: 'Other' }],
    ['sessionPrefixes', { sessionPrefixes: { staging: ['https://s.test'] } }],
  ])('names %s if it differs between two loads', async (field, options) => {
    await loadService(OPTIONS);
    const error = await loadService({ ...OPTIONS, ...options }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'options_conflict', details: { field } });
    expect((error as Error).message).toContain(field);
  });

  it('R-7 rejects a second environment and names it, even if each loader has only its own URL', async () => {
    await loadService(OPTIONS);
    const production: LoaderOptions = {
      environment: 'production',
      loaderUrl: 'https://live.test/app/embedded.loader.js',
    };
    await expect(loadService(production)).rejects.toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'production', found: 'staging' },
      message: expect.stringContaining('the SDK here is for staging') as string,
    });
  });

  it('never conflicts over callbacks, timeouts, retries, nonces or adapters, and leaves no listener', async () => {
    const events: string[] = [];
    const onEvent = (name: string) => (event: LoaderEvent) =>
      void events.push(`${name} ${event.type} ${event.attempt}`);
    await Promise.all([
      loadService({ ...OPTIONS, onEvent: onEvent('a') }),
      loadService({ ...OPTIONS, onEvent: onEvent('b'), timeoutMs: 5_000, retries: 0, nonce: 'x' }),
    ]);
    expect(events).toEqual(['a ready 0', 'b ready 0']);
    for (let i = 0; i < 20; i += 1) await loadService({ ...OPTIONS, onEvent: onEvent('c') });
    expect(registry().load?.listeners.size).toBe(0);
  });

  it('refuses an AbortController instead of a signal', async () => {
    const signal = new AbortController() as unknown as AbortSignal;
    await expect(createLoader(OPTIONS).load({ signal })).rejects.toMatchObject({ code: 'invalid_options' });
  });

  it('leaves no listener on a signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const loader = createLoader(OPTIONS);
    for (let i = 0; i < 3; i += 1) await loader.load({ signal });
    expect(removed.mock.calls).toEqual(added.mock.calls.map(([type, listener]) => [type, listener]));
    expect(added).toHaveBeenCalledTimes(3);
  });

  it('refuses a global with an unknown environment and names it', async () => {
    page['Service'] = { environment: 'sandbox' };
    await expect(loadService(OPTIONS)).rejects.toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: 'sandbox' },
      message: expect.stringContaining('window.Service is for sandbox') as string,
    });
  });

  it('R-7 keeps the SDK that it checked even if the global changes later', async () => {
    const service = await loadService(OPTIONS);
    const opened: string[] = [];
    page['Service'] = { environment: 'production', completePayment: (url: string) => opened.push(url) };
    void service.completePayment('https://pay.test/s/1');
    await Promise.resolve();
    expect(opened).toEqual([]);
  });
});

describe('a copy of another version on the page', () => {
  const OTHER = Symbol.for('embedded-sessions.loader');
  afterEach(() => {
    delete page[OTHER];
  });

  it('has its own registry, so each copy loads the SDK and opens flows', async () => {
    // As left by a copy from before the first release.
    const claim = {
      environment: 'staging',
      loaderUrl: OPTIONS.loaderUrl,
      sessionPrefixes: '',
      globalName: '',
    };
    const chain = Promise.resolve(page['Service']);
    const listeners = new Set();
    page[OTHER] = { load: { claim, chain, listeners }, scripts: new Map(), flows: new Set(), dropped: [] };
    const service = await loadService(OPTIONS);
    const events: string[] = [];
    const onEvent = ({ type }: { type: string }): void => void events.push(type);
    void service.completePayment('https://pay.test/s/stg_1#secret', { onEvent }).catch(() => undefined);
    await vi.waitFor(() => expect(events).toContain('opened'));
    await Promise.resolve();
    expect(events).toEqual(['opened']);
  });

  it('shares a registry only with copies of the same registry version', () => {
    const SHAPE = {
      load: { claim: true, chain: true, listeners: true },
      scripts: true,
      flows: { container: true, concurrent: true, isOver: true },
      routers: true,
      dropped: true,
      policy: true,
      wanted: true,
    } satisfies Record<Exclude<keyof Registry, 'load' | 'flows'>, true> & {
      load: Record<keyof Load, true>;
      flows: Record<keyof OpenFlow, true>;
    };
    expect([REGISTRY.description, Object.keys(SHAPE).length]).toEqual(['embedded-sessions.loader.3', 7]);
  });
});

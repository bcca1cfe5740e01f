// What a page sees of a load: its tags, links and time. e2e/loader tests real servers, policies and networks.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLoader, type Loader } from './load.js';
import type { LoaderEvent, LoaderOptions } from './options.js';
import { REGISTRY, registry } from './registry.js';

const STAGING = 'https://pay.staging.test/app/embedded.loader.js';
const PRODUCTION = 'https://pay.test/app/embedded.loader.js';
const OPTIONS: LoaderOptions = { environment: 'staging', loaderUrl: STAGING };
const page = globalThis as Record<symbol | string, unknown>;
const SDK = { completePayment: () => undefined, startFlow: () => undefined };

/** The outcome of each tag that the loader adds to the page, in order. The last one repeats. */
let answers: ('runs' | 'runs empty' | 'fails' | 'never' | ((tag: HTMLScriptElement) => void))[];
let requested: HTMLScriptElement[];
let events: LoaderEvent[];

const head = () => document.head;
const tags = () => [...document.scripts];
const links = (rel: string) => [...document.querySelectorAll<HTMLLinkElement>(`link[rel=${rel}]`)];
const end = (tag: HTMLScriptElement, type: 'load' | 'error') => tag.dispatchEvent(new Event(type));
const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const settled = (loader: Loader) =>
  loader.load().then(
    () => 'ready' as const,
    (error: unknown) => error as Error & { code: string },
  );

function loader(more: Record<string, unknown> = {}): Loader {
  return createLoader({ ...OPTIONS, onEvent: (event: LoaderEvent) => events.push(event), ...more });
}
/** A script tag of the page's own. Nothing is fetched here. */
function ownTag(src: string, attributes: Partial<HTMLScriptElement> = {}): HTMLScriptElement {
  const tag = document.createElement('script');
  tag.type = 'text/held';
  Object.assign(tag, { src });
  document.body.append(tag);
  tag.removeAttribute('type');
  return Object.assign(tag, attributes);
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  answers = ['runs'];
  requested = [];
  events = [];
  delete page[REGISTRY];
  const append = head().append.bind(head());
  vi.spyOn(head(), 'append').mockImplementation((...nodes) => {
    for (const node of nodes) {
      if (!(node instanceof HTMLScriptElement)) {
        append(node);
        continue;
      }
      // Prevents the fetch while it is inserted.
      node.type = 'text/held';
      append(node);
      node.removeAttribute('type');
      const answer = answers[requested.length] ?? answers.at(-1);
      requested.push(node);
      setTimeout(() => {
        if (typeof answer === 'function') return answer(node);
        if (answer === 'never') return;
        if (answer === 'runs') page['Service'] = SDK;
        end(node, answer === 'fails' ? 'error' : 'load');
      }, 10);
    }
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  delete page['Service'];
  document.head.replaceChildren();
  document.body.replaceChildren();
});

describe('R-5 the script', () => {
  it('is put on the page once, as the page wants it, and is there from then on', async () => {
    const own = document.createElement('script');
    own.setAttribute('nonce', 'page');
    own.nonce = 'page';
    document.body.append(own);
    const one = loader();
    expect(one.state).toBe('idle');
    const both = Promise.all([settled(one), settled(loader())]);
    expect(one.state).toBe('loading');
    await passed(20);
    expect(await both).toEqual(['ready', 'ready']);
    expect(one.state).toBe('ready');
    expect(requested.map(({ src }) => src)).toEqual([STAGING]);
    expect(requested[0]).toMatchObject({ nonce: 'page', isConnected: true });
    const again = settled(one);
    expect(one.state).toBe('ready');
    expect(await again).toBe('ready');
    expect(requested).toHaveLength(1);
    expect(events.filter(({ type }) => type !== 'ready')).toEqual([
      { type: 'attempt', attempt: 1, ms: 0 },
      { type: 'attempt', attempt: 1, ms: 0 },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'ready' });
  });

  it('is ready in the moment in which it has run, and has no nonce where neither page nor loader has one', async () => {
    const made = loader();
    void settled(made);
    await passed(10);
    expect(made.state).toBe('ready');
    expect(requested[0]?.nonce).toBeFalsy();
  });

  it('has the nonce and the mode that the loader was given', async () => {
    const loading = settled(loader({ nonce: 'mine', crossOrigin: 'anonymous' }));
    await passed(20);
    expect(await loading).toBe('ready');
    expect(requested[0]).toMatchObject({ nonce: 'mine', crossOrigin: 'anonymous' });
  });

  it('is tried three times, each time by another address and after a longer while, and leaves no tag', async () => {
    answers = ['fails'];
    const made = loader();
    const loading = settled(made);
    await passed(11);
    expect(requested).toHaveLength(1);
    expect(tags()).toHaveLength(1);
    await passed(298);
    expect(requested).toHaveLength(1);
    await passed(2);
    expect(requested).toHaveLength(2);
    await passed(609);
    expect(requested).toHaveLength(2);
    await passed(2);
    expect(requested).toHaveLength(3);
    await passed(20);
    expect(await loading).toMatchObject({
      code: 'network_error',
      retryable: true,
      message: expect.stringContaining('https://pay.staging.test') as string,
    });
    expect(made.state).toBe('failed');
    expect(requested.map(({ src }) => src)).toEqual([STAGING, `${STAGING}?retry=1`, `${STAGING}?retry=2`]);
    expect(tags()).toEqual([]);
    expect(events.map(({ type, attempt, code }) => [type, attempt, code])).toEqual([
      ['attempt', 1, undefined],
      ['attempt', 2, undefined],
      ['attempt', 3, undefined],
      ['failed', 3, 'network_error'],
    ]);
    expect(events.at(-1)?.ms).toBeGreaterThan(900);
    expect(events[0]).not.toHaveProperty('code');
  });

  it('is tried anew by the next call, after what failed', async () => {
    answers = ['fails', 'runs'];
    const made = loader({ retries: 0 });
    const first = settled(made);
    await passed(20);
    expect(await first).toMatchObject({ code: 'network_error' });
    const second = settled(made);
    await passed(20);
    expect(await second).toBe('ready');
    expect(requested.map(({ src }) => src)).toEqual([STAGING, `${STAGING}?retry=1`]);
    expect(requested[0]?.isConnected).toBe(false);
  });

  it('that passes is ready after one more attempt', async () => {
    answers = ['fails', 'runs'];
    const loading = settled(loader({ retries: 1 }));
    await passed(1_000);
    expect(await loading).toBe('ready');
    expect(events.at(-1)).toMatchObject({ type: 'ready', attempt: 2 });
  });

  it('fails as offline where the browser is', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    answers = ['fails'];
    const loading = settled(loader({ retries: 0 }));
    await passed(20);
    expect(await loading).toMatchObject({
      code: 'offline',
      retryable: true,
      message: expect.stringMatching(/^\S.* https:/) as string,
    });
  });

  it('is given up when its time is over, and nothing comes after that', async () => {
    answers = ['never'];
    const made = loader({ timeoutMs: 5_000 });
    made.preload();
    expect(links('prefetch')).toHaveLength(1);
    const loading = settled(made);
    await passed(4_999);
    expect(made.state).toBe('loading');
    await passed(1);
    expect(await loading).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('5000 ms') as string,
    });
    expect(made.state).toBe('failed');
    expect(tags()).toEqual([]);
    expect(links('prefetch')).toEqual([]);
    await passed(60_000);
    expect(requested).toHaveLength(1);
  });

  it('that failed is not tried once more when the time is over meanwhile', async () => {
    answers = ['fails'];
    const loading = settled(loader({ timeoutMs: 100 }));
    await passed(60_000);
    expect(await loading).toMatchObject({ code: 'timeout' });
    expect(requested).toHaveLength(1);
  });
});

describe('R-5 the SDK’s global', () => {
  it('may come 2 s after its script, and not later: service_missing, naming it', async () => {
    answers = ['runs empty'];
    const loading = settled(loader({ globalName: 'Other' }));
    await passed(1_900);
    page['Other'] = SDK;
    await passed(200);
    expect(await loading).toBe('ready');
    delete page['Other'];
    delete page[REGISTRY];
    document.head.replaceChildren();
    const late = loader({ globalName: 'Other' });
    const missing = settled(late);
    await passed(1_950);
    expect(late.state).toBe('loading');
    await passed(100);
    expect(late.state).toBe('failed');
    expect(await missing).toMatchObject({
      code: 'service_missing',
      retryable: false,
      message: expect.stringMatching(
        /window\.Other from https:\/\/pay\.staging\.test: check globalName/,
      ) as string,
    });
    expect(requested).toHaveLength(2);
  });

  it('that throws when it is read is service_missing, with what it threw', async () => {
    const cause = new Error('no');
    answers = ['runs empty'];
    Object.defineProperty(page, 'Service', {
      configurable: true,
      get() {
        throw cause;
      },
    });
    const loading = settled(loader());
    await passed(20);
    expect(await loading).toMatchObject({
      code: 'service_missing',
      cause,
      message: expect.stringContaining('window.Service throws') as string,
    });
  });

  it('is no element that has its name for an id', async () => {
    const prototype = Object.getPrototypeOf(page) as object;
    const element = { configurable: true, writable: true, value: document.createElement('div') };
    Object.defineProperty(prototype, 'Service', element);
    const loading = settled(loader());
    await passed(20);
    expect(await loading).toBe('ready');
    expect(requested).toHaveLength(1);
    delete (prototype as { Service?: unknown }).Service;
  });

  it('R-7 that says nothing of its environment counts as ours only where it came by our script', async () => {
    page['Service'] = SDK;
    expect(await settled(loader())).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: 'unknown' },
    });
    expect(requested).toEqual([]);
  });
});

describe('a policy of the page', () => {
  const violation = (more: object) =>
    document.dispatchEvent(
      Object.assign(new Event('securitypolicyviolation'), {
        blockedURI: 'https://pay.staging.test/app/embedded.loader.js',
        disposition: 'enforce',
        effectiveDirective: 'script-src-elem',
        ...more,
      }),
    );

  it.each([
    ['before the tag fails', {}, true],
    ['by the origin alone', { blockedURI: 'https://pay.staging.test' }, true],
    ['that only reports', { disposition: 'report' }, false],
    ['about another script', { blockedURI: 'https://other.test/x.js' }, false],
    ['about no address', { blockedURI: '' }, false],
  ])('that blocks, told %s, is csp_blocked at once, with what to add: %#', async (_, more, isBlocked) => {
    answers = [
      (tag) => {
        violation(more);
        end(tag, 'error');
      },
    ];
    const loading = settled(loader({ retries: 1 }));
    await passed(2_000);
    const error = await loading;
    if (isBlocked)
      expect(error).toMatchObject({
        code: 'csp_blocked',
        message: expect.stringContaining(
          'add https://pay.staging.test or a nonce to script-src-elem or its fallback.',
        ) as string,
      });
    else expect(error).toMatchObject({ code: 'network_error' });
    expect(requested).toHaveLength(isBlocked ? 1 : 2);
  });

  it('that blocks and is told after the tag has failed, is csp_blocked all the same', async () => {
    answers = [
      (tag) => {
        setTimeout(() => violation({}));
        end(tag, 'error');
      },
    ];
    const loading = settled(loader());
    await passed(2_000);
    expect(await loading).toMatchObject({ code: 'csp_blocked' });
  });

  it('told while the SDK loads all the same is nothing, and nobody listens afterwards', async () => {
    const added = vi.spyOn(document, 'addEventListener');
    const removed = vi.spyOn(document, 'removeEventListener');
    answers = [
      (tag) => {
        violation({});
        page['Service'] = SDK;
        end(tag, 'load');
      },
    ];
    const loading = settled(loader());
    await passed(20);
    expect(await loading).toBe('ready');
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  it('of Trusted Types is asked once, for loaders alone', async () => {
    answers = ['fails', 'runs'];
    const createPolicy = vi.fn((_: string, rules: { createScriptURL(url: string): unknown }) => rules);
    vi.stubGlobal('trustedTypes', { createPolicy });
    const loading = settled(loader());
    await passed(2_000);
    expect(await loading).toBe('ready');
    expect(createPolicy).toHaveBeenCalledExactlyOnceWith('embedded-sessions', expect.anything());
    const rules = createPolicy.mock.calls[0]?.[1];
    expect(rules?.createScriptURL(`${STAGING}?retry=1`)).toBe(`${STAGING}?retry=1`);
    expect(rules?.createScriptURL('https://evil.test/x.js')).toBe('');
    expect(rules?.createScriptURL(`https://evil.test/x.js?${STAGING}`)).toBe('');
  });

  it('that forbids ours and takes plain addresses stops nothing; one that takes none is csp_blocked', async () => {
    vi.stubGlobal('trustedTypes', {
      createPolicy: () => {
        throw new TypeError('forbidden');
      },
    });
    const loading = settled(loader());
    await passed(20);
    expect(await loading).toBe('ready');
    delete page[REGISTRY];
    delete page['Service'];
    document.head.replaceChildren();
    const create = document.createElement.bind(document);
    vi.spyOn(document, 'createElement').mockImplementation((name: string) => {
      const made = create(name);
      if (name === 'script')
        Object.defineProperty(made, 'src', {
          get: () => '',
          set() {
            throw new TypeError('This requires a TrustedScriptURL');
          },
        });
      return made;
    });
    const refused = settled(loader());
    await passed(2_000);
    expect(await refused).toMatchObject({
      code: 'csp_blocked',
      message: expect.stringContaining('add embedded-sessions to trusted-types') as string,
    });
    expect(tags()).toEqual([]);
  });
});

describe('a tag of the same SDK that is on the page already', () => {
  it('is waited for, and none is added', async () => {
    const tag = ownTag(`${STAGING}?v=7#x`);
    const loading = settled(loader());
    await passed(3_000);
    expect(requested).toEqual([]);
    page['Service'] = SDK;
    end(tag, 'load');
    await passed(200);
    expect(await loading).toBe('ready');
    expect(requested).toEqual([]);
    expect(tag.isConnected).toBe(true);
    expect(events).toMatchObject([{ type: 'ready', attempt: 0 }]);
  });

  it.each(['text/javascript', 'text/javascript1.5', 'application/x-javascript', 'module'])(
    'is one by whatever name a browser runs it: %s',
    async (type) => {
      ownTag(STAGING, { type });
      void settled(loader());
      await passed(1_000);
      expect(requested).toEqual([]);
    },
  );

  it('that has run is not waited for', async () => {
    ownTag(STAGING);
    page['Service'] = SDK;
    const loading = settled(loader());
    await passed(0);
    expect(await loading).toBe('ready');
  });

  it('that fails is replaced at once, under its own condition', async () => {
    const tag = ownTag(STAGING, { integrity: 'sha384-abc', crossOrigin: 'use-credentials' });
    const loading = settled(loader({ crossOrigin: 'anonymous' }));
    await passed(50);
    end(tag, 'error');
    await passed(150);
    expect(await loading).toBe('ready');
    expect(tag.isConnected).toBe(false);
    expect(requested).toMatchObject([
      { integrity: 'sha384-abc', crossOrigin: 'use-credentials', src: `${STAGING}?retry=1` },
    ]);
  });

  it('that fails leaves its condition to none at another address', async () => {
    answers = ['fails', 'runs'];
    const tag = ownTag(STAGING, { integrity: 'sha384-abc', crossOrigin: 'use-credentials' });
    const failing = settled(loader({ retries: 0 }));
    await passed(50);
    end(tag, 'error');
    await passed(150);
    expect(await failing).toMatchObject({ code: 'network_error' });
    const loading = settled(loader({ loaderUrl: 'https://cdn.staging.test/app/embedded.loader.js' }));
    await passed(50);
    expect(await loading).toBe('ready');
    expect(requested.map(({ integrity }) => integrity)).toEqual(['sha384-abc', '']);
  });

  it('that never ends is replaced after a quarter of the time', async () => {
    const tag = ownTag(STAGING);
    const loading = settled(loader({ timeoutMs: 8_000 }));
    await passed(1_999);
    expect(requested).toEqual([]);
    await passed(50);
    expect(requested).toHaveLength(1);
    await passed(50);
    expect(await loading).toBe('ready');
    expect(tag.isConnected).toBe(false);
  });

  it.each([
    ['a page that has been read', [{ domContentLoadedEventStart: 5 }]],
    ['a page of which nothing is recorded', []],
  ])(
    'that failed long ago, as its record says, is replaced 2 s after it should have run: %s',
    async (_, pages) => {
      ownTag(STAGING);
      vi.spyOn(performance, 'getEntriesByName').mockReturnValue([{ initiatorType: 'script' } as never]);
      vi.spyOn(performance, 'getEntriesByType').mockReturnValue(pages as never[]);
      const loading = settled(loader({ timeoutMs: 200_000 }));
      await passed(1_900);
      expect(requested).toEqual([]);
      await passed(400);
      expect(await loading).toBe('ready');
      expect(requested).toHaveLength(1);
    },
  );

  it('that is deferred is waited for until the page has been read; a preload’s record is none of it', async () => {
    const tag = ownTag(STAGING);
    const record = vi
      .spyOn(performance, 'getEntriesByName')
      .mockReturnValue([{ initiatorType: 'script' } as never]);
    vi.spyOn(performance, 'getEntriesByType').mockImplementation((type) =>
      type === 'navigation' ? [{ domContentLoadedEventStart: 0 } as never] : [],
    );
    const loading = settled(loader({ timeoutMs: 100_000 }));
    await passed(60_000);
    expect(requested).toEqual([]);
    expect(record).toHaveBeenCalledWith(STAGING);
    record.mockReturnValue([{ initiatorType: 'link' } as never]);
    await passed(24_000);
    expect(requested).toEqual([]);
    await passed(2_000);
    expect(await loading).toBe('ready');
    expect(requested).toHaveLength(1);
    expect(tag.isConnected).toBe(false);
  });
});

describe('R-7 a tag of another loader', () => {
  const known = { loaderUrl: undefined, loaderUrls: { staging: STAGING, production: PRODUCTION } };

  it.each([
    ['of the other environment', PRODUCTION, {}, known, 'production'],
    ['of nobody we know', 'https://else.test/app/embedded.loader.js', {}, known, 'https://else.test'],
    [
      'of our own environment at another address',
      'https://pay.staging.test/b/app/embedded.loader.js',
      {},
      known,
      'https://pay.staging.test',
    ],
    ['that is a module', PRODUCTION, { type: 'module' }, known, 'production'],
    ['of an old type', PRODUCTION, { type: 'application/x-javascript' }, known, 'production'],
  ])('%s is refused, by its name or else its origin', async (_, src, attributes, options, found) => {
    ownTag(src, attributes);
    expect(await settled(loader(options))).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found },
      message: expect.stringContaining(`another loader here is for ${found}`) as string,
    });
    expect(requested).toEqual([]);
  });

  it.each([
    ['parked by a consent manager', PRODUCTION, { type: 'text/plain' }],
    ['for browsers without modules', PRODUCTION, { noModule: true }],
    ['with another path', 'https://pay.test/app/other.js', {}],
    ['whose path only begins so', `${PRODUCTION}.map`, {}],
    ['whose query only looks so', `https://pay.test/x?${PRODUCTION}`, {}],
  ])('%s is none', async (_, src, attributes) => {
    const tag = ownTag('about:blank');
    Object.assign(tag, attributes);
    Object.defineProperty(tag, 'src', { value: src });
    const loading = settled(loader(known));
    await passed(20);
    expect(await loading).toBe('ready');
  });

  it('refuses a loader that is here already, and a flow that would open', async () => {
    const made = loader(known);
    const loading = made.load();
    await passed(20);
    const service = await loading;
    ownTag(PRODUCTION);
    await expect(service.startFlow('https://pay.staging.test/s/1')).rejects.toMatchObject({
      code: 'environment_mismatch',
    });
    expect(await settled(made)).toMatchObject({ code: 'environment_mismatch' });
  });

  it('that we put there and gave up may still run; one that failed may not', async () => {
    answers = ['never'];
    const late = settled(loader({ timeoutMs: 1_000 }));
    await passed(1_100);
    expect(await late).toMatchObject({ code: 'timeout' });
    const production = { environment: 'production', loaderUrl: PRODUCTION, retries: 0 };
    expect(await settled(loader(production))).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'production', found: 'staging' },
    });
    end(requested[0] as HTMLScriptElement, 'error');
    answers = ['runs'];
    const now = settled(loader(production));
    await passed(20);
    expect(await now).toBe('ready');
  });
});

describe('ahead of time', () => {
  it('preload() fetches once what the tag will ask for, and runs nothing', () => {
    const made = loader();
    made.preload();
    made.preload();
    expect(links('prefetch')).toMatchObject([{ as: 'script', href: STAGING }]);
    expect(tags()).toEqual([]);
  });

  it('preload() of what is on the page already fetches nothing', () => {
    ownTag(STAGING);
    loader().preload();
    expect(links('prefetch')).toEqual([]);
  });

  it('preload() after a failure fetches what is asked for next', async () => {
    answers = ['fails', 'runs'];
    const made = loader({ retries: 0 });
    const loading = settled(made);
    await passed(20);
    await loading;
    made.preload();
    expect(links('prefetch').map(({ href }) => href)).toEqual([`${STAGING}?retry=1`]);
    const again = settled(made);
    await passed(20);
    await again;
    expect(requested.at(-1)?.src).toBe(`${STAGING}?retry=1`);
  });

  it('R-70 warm() readies the SDK to speak and look as the loader does, or as is said', async () => {
    const warm = vi.fn(async () => {});
    answers = [
      (tag) => {
        page['Service'] = { ...SDK, warm };
        end(tag, 'load');
      },
    ];
    const made = loader({ locale: 'es', appearance: { accent: '#336699' } });
    const warming = made.warm();
    await passed(20);
    await warming;
    expect(warm).toHaveBeenLastCalledWith({ locale: 'es', appearance: { accent: '#336699' } });
    await made.warm({ locale: 'fr', appearance: undefined });
    expect(warm).toHaveBeenLastCalledWith({ locale: 'fr', appearance: { accent: '#336699' } });
  });

  it('warm() ends when its time is over, and rejects with nothing', async () => {
    answers = ['fails', 'runs'];
    const made = loader({ retries: 0, timeoutMs: 3_000 });
    const failing = made.warm();
    await passed(20);
    expect(await failing).toBeUndefined();
    expect(made.state).toBe('failed');
    const bare = made.warm();
    await passed(20);
    expect(await bare).toBeUndefined();
    page['Service'] = undefined;
    delete page[REGISTRY];
    document.head.replaceChildren();
    answers = [
      (tag) => {
        page['Service'] = { ...SDK, warm: () => new Promise(() => {}) };
        end(tag, 'load');
      },
    ];
    const isOver = vi.fn();
    void loader({ timeoutMs: 3_000 }).warm().then(isOver);
    await passed(2_000);
    expect(isOver).not.toHaveBeenCalled();
    await passed(2_000);
    expect(isOver).toHaveBeenCalledOnce();
  });
});

describe('who waits', () => {
  it('may abort: its signal rejects it alone, and the load continues', async () => {
    const made = loader();
    const leave = new AbortController();
    const leaving = made.load({ signal: leave.signal });
    const staying = settled(made);
    leave.abort('enough');
    await expect(leaving).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    await passed(20);
    expect(await staying).toBe('ready');
    await expect(made.load({ signal: leave.signal })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('on a server rejects with a clear error, and touches nothing', async () => {
    const made = loader();
    const { document: browser } = globalThis;
    vi.stubGlobal('document', undefined);
    const loading = await settled(made);
    made.preload();
    await made.warm();
    vi.stubGlobal('document', browser);
    expect(loading).toMatchObject({
      code: 'not_in_browser',
      message: expect.stringMatching(/^Load in the browser\. /) as string,
    });
    expect(made.state).toBe('idle');
    expect([tags(), links('prefetch')]).toEqual([[], []]);
    expect(registry().load).toBeUndefined();
  });
});

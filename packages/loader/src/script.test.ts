// Tests the tags, links and timing of a load. e2e/loader tests real servers, policies and networks.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLoader, type Loader } from './load.js';
import type { LoaderEvent, LoaderOptions } from './options.js';
import { REGISTRY, registry } from './registry.js';

const STAGING = 'https://pay.staging.test/app/embedded.loader.js';
const PRODUCTION = 'https://pay.test/app/embedded.loader.js';
const OPTIONS: LoaderOptions = { environment: 'staging', loaderUrl: STAGING };
const page = globalThis as Record<symbol | string, unknown>;
const SDK = { completePayment: () => undefined, startFlow: () => undefined };

/** The outcomes of the tags that the loader adds, in order. The last one repeats. */
let outcomes: ('runs' | 'runs empty' | 'fails' | 'never' | ((tag: HTMLScriptElement) => void))[];
let requested: HTMLScriptElement[];
let events: LoaderEvent[];

const head = () => document.head;
const tags = () => [...document.scripts];
const links = (rel: string) => [...document.querySelectorAll<HTMLLinkElement>(`link[rel=${rel}]`)];
const end = (tag: HTMLScriptElement, type: 'load' | 'error') => tag.dispatchEvent(new Event(type));
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const settled = (loader: Loader) =>
  loader.load().then(
    () => 'ready' as const,
    (error: unknown) => error as Error & { code: string },
  );

function loader(more: Record<string, unknown> = {}): Loader {
  return createLoader({ ...OPTIONS, onEvent: (event: LoaderEvent) => events.push(event), ...more });
}
/** A script tag that the page itself added. Fetches nothing. */
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
  outcomes = ['runs'];
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
      // Prevents the fetch on insertion.
      node.type = 'text/held';
      append(node);
      node.removeAttribute('type');
      const outcome = outcomes[requested.length] ?? outcomes.at(-1);
      requested.push(node);
      setTimeout(() => {
        if (typeof outcome === 'function') return outcome(node);
        if (outcome === 'never') return;
        if (outcome === 'runs') page['Service'] = SDK;
        end(node, outcome === 'fails' ? 'error' : 'load');
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
  it('is added to the page once with the page’s attributes, and stays', async () => {
    const own = document.createElement('script');
    own.setAttribute('nonce', 'page');
    own.nonce = 'page';
    document.body.append(own);
    const one = loader();
    expect(one.state).toBe('idle');
    const both = Promise.all([settled(one), settled(loader())]);
    expect(one.state).toBe('loading');
    await advance(20);
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

  it('is ready as soon as it has run, and has no nonce if neither page nor loader has one', async () => {
    const created = loader();
    void settled(created);
    await advance(10);
    expect(created.state).toBe('ready');
    expect(requested[0]?.nonce).toBeFalsy();
  });

  it('has the nonce and crossOrigin of the loader', async () => {
    const loading = settled(loader({ nonce: 'mine', crossOrigin: 'anonymous' }));
    await advance(20);
    expect(await loading).toBe('ready');
    expect(requested[0]).toMatchObject({ nonce: 'mine', crossOrigin: 'anonymous' });
  });

  it('is tried three times with a new URL and a longer delay each time, and leaves no tag', async () => {
    outcomes = ['fails'];
    const created = loader();
    const loading = settled(created);
    await advance(11);
    expect(requested).toHaveLength(1);
    expect(tags()).toHaveLength(1);
    await advance(298);
    expect(requested).toHaveLength(1);
    await advance(2);
    expect(requested).toHaveLength(2);
    await advance(609);
    expect(requested).toHaveLength(2);
    await advance(2);
    expect(requested).toHaveLength(3);
    await advance(20);
    expect(await loading).toMatchObject({
      code: 'network_error',
      retryable: true,
      message: expect.stringContaining('https://pay.staging.test') as string,
    });
    expect(created.state).toBe('failed');
    expect(requested.map(({ src }) => src)).toEqual([STAGING, `${STAGING}?retry=1`, `${STAGING}?retry=2`]);
    expect(tags()).toEqual([]);
    expect(events.map(({ type, attempt, code }) => [type, attempt, code])).toEqual([
      ['attempt', 1, undefined],
      ['attempt', 2, undefined],
      ['attempt', 3, undefined],
      ['failed', 3, 'network_error'],
    ]);
    expect(events.at(-1)?.ms).toBeGreaterThan(900);
  });

  it('is retried by the next call after a failure', async () => {
    outcomes = ['fails', 'runs'];
    const created = loader({ retries: 0 });
    const first = settled(created);
    await advance(20);
    expect(await first).toMatchObject({ code: 'network_error' });
    const second = settled(created);
    await advance(20);
    expect(await second).toBe('ready');
    expect(requested.map(({ src }) => src)).toEqual([STAGING, `${STAGING}?retry=1`]);
    expect(requested[0]?.isConnected).toBe(false);
  });

  it('is ready if a retry succeeds', async () => {
    outcomes = ['fails', 'runs'];
    const loading = settled(loader({ retries: 1 }));
    await advance(1_000);
    expect(await loading).toBe('ready');
    expect(events.at(-1)).toMatchObject({ type: 'ready', attempt: 2 });
  });

  it('fails with offline if the browser is offline', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    outcomes = ['fails'];
    const loading = settled(loader({ retries: 0 }));
    await advance(20);
    expect(await loading).toMatchObject({
      code: 'offline',
      retryable: true,
      message: expect.stringMatching(/^\S.* https:/) as string,
    });
  });

  it('fails after the timeout, and makes no later attempt', async () => {
    outcomes = ['never'];
    const created = loader({ timeoutMs: 5_000 });
    created.preload();
    expect(links('prefetch')).toHaveLength(1);
    const loading = settled(created);
    await advance(4_999);
    expect(created.state).toBe('loading');
    await advance(1);
    expect(await loading).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('5000 ms') as string,
    });
    expect(created.state).toBe('failed');
    expect(tags()).toEqual([]);
    await advance(60_000);
    expect(requested).toHaveLength(1);
    created.preload();
    expect(links('prefetch').map(({ href }) => href)).toEqual([STAGING, `${STAGING}?retry=1`]);
  });

  it('is not retried if the timeout ends during the backoff', async () => {
    outcomes = ['fails'];
    const loading = settled(loader({ timeoutMs: 100 }));
    await advance(60_000);
    expect(await loading).toMatchObject({ code: 'timeout' });
    expect(requested).toHaveLength(1);
  });
});

describe('R-5 the SDK’s global', () => {
  it('may appear up to 2 s after its script, and is service_missing after that', async () => {
    outcomes = ['runs empty'];
    const loading = settled(loader({ globalName: 'Other' }));
    await advance(1_900);
    page['Other'] = SDK;
    await advance(200);
    expect(await loading).toBe('ready');
    delete page['Other'];
    delete page[REGISTRY];
    document.head.replaceChildren();
    const late = loader({ globalName: 'Other' });
    const missing = settled(late);
    await advance(1_950);
    expect(late.state).toBe('loading');
    await advance(100);
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

  it('is not confused with an element whose id is its name', async () => {
    const prototype = Object.getPrototypeOf(page) as object;
    const element = { configurable: true, writable: true, value: document.createElement('div') };
    Object.defineProperty(prototype, 'Service', element);
    const loading = settled(loader());
    await advance(20);
    expect(await loading).toBe('ready');
    expect(requested).toHaveLength(1);
    delete (prototype as { Service?: unknown }).Service;
  });

  it('R-7 without an environment is trusted only if our script created it', async () => {
    page['Service'] = SDK;
    expect(await settled(loader())).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: 'unknown' },
    });
    expect(requested).toEqual([]);
  });
});

describe('a content security policy', () => {
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
    ['in report-only mode', { disposition: 'report' }, false],
    ['about another script', { blockedURI: 'https://other.test/x.js' }, false],
    ['without a URL', { blockedURI: '' }, false],
  ])('reports csp_blocked immediately, with the fix, for a violation %s: %#', async (_, more, isBlocked) => {
    outcomes = [
      (tag) => {
        violation(more);
        end(tag, 'error');
      },
    ];
    const loading = settled(loader({ retries: 1 }));
    await advance(2_000);
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

  it('reports csp_blocked even if the violation event follows the tag’s error', async () => {
    outcomes = [
      (tag) => {
        setTimeout(() => violation({}));
        end(tag, 'error');
      },
    ];
    const loading = settled(loader());
    await advance(2_000);
    expect(await loading).toMatchObject({ code: 'csp_blocked' });
  });

  it('ignores a violation if the SDK loads anyway, and leaves no listener', async () => {
    const added = vi.spyOn(document, 'addEventListener');
    const removed = vi.spyOn(document, 'removeEventListener');
    outcomes = [
      (tag) => {
        violation({});
        page['Service'] = SDK;
        end(tag, 'load');
      },
    ];
    const loading = settled(loader());
    await advance(20);
    expect(await loading).toBe('ready');
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  it('creates one Trusted Types policy, which permits only what it loads', async () => {
    outcomes = ['fails', 'runs'];
    const createPolicy = vi.fn((_: string, rules: { createScriptURL(url: string): unknown }) => rules);
    vi.stubGlobal('trustedTypes', { createPolicy });
    const loading = settled(loader());
    await advance(2_000);
    expect(await loading).toBe('ready');
    expect(createPolicy).toHaveBeenCalledExactlyOnceWith('embedded-sessions', expect.anything());
    const rules = createPolicy.mock.calls[0]?.[1];
    expect(rules?.createScriptURL(`${STAGING}?retry=1`)).toBe(`${STAGING}?retry=1`);
    expect(rules?.createScriptURL('https://evil.test/x.js')).toBe('');
    expect(rules?.createScriptURL(`https://evil.test/x.js?${STAGING}`)).toBe('');
    expect(rules?.createScriptURL('https://evil.test/app/embedded.loader.js')).toBe('');
  });

  it('is csp_blocked if it forbids our Trusted Types policy and refuses plain URLs', async () => {
    vi.stubGlobal('trustedTypes', {
      createPolicy: () => {
        throw new TypeError('forbidden');
      },
    });
    const loading = settled(loader());
    await advance(20);
    expect(await loading).toBe('ready');
    delete page[REGISTRY];
    delete page['Service'];
    document.head.replaceChildren();
    const create = document.createElement.bind(document);
    vi.spyOn(document, 'createElement').mockImplementation((name: string) => {
      const created = create(name);
      if (name === 'script')
        Object.defineProperty(created, 'src', {
          get: () => '',
          set() {
            throw new TypeError('This requires a TrustedScriptURL');
          },
        });
      return created;
    });
    const refused = settled(loader());
    await advance(2_000);
    expect(await refused).toMatchObject({
      code: 'csp_blocked',
      message: expect.stringContaining('add embedded-sessions to trusted-types') as string,
    });
    expect(tags()).toEqual([]);
  });
});

describe('an existing tag of the same SDK', () => {
  it('is awaited, and no tag is added', async () => {
    const tag = ownTag(`${STAGING}?v=7#x`);
    const loading = settled(loader());
    await advance(3_000);
    expect(requested).toEqual([]);
    page['Service'] = SDK;
    end(tag, 'load');
    await advance(200);
    expect(await loading).toBe('ready');
    expect(requested).toEqual([]);
    expect(tag.isConnected).toBe(true);
    expect(events).toMatchObject([{ type: 'ready', attempt: 0 }]);
  });

  it.each(['text/javascript', 'text/javascript1.5', 'application/x-javascript', 'module'])(
    'is recognized by every JavaScript type: %s',
    async (type) => {
      ownTag(STAGING, { type });
      void settled(loader());
      await advance(1_000);
      expect(requested).toEqual([]);
    },
  );

  it('is not awaited if it has run', async () => {
    ownTag(STAGING);
    page['Service'] = SDK;
    const loading = settled(loader());
    await advance(0);
    expect(await loading).toBe('ready');
  });

  it('is replaced immediately if it fails, keeping its integrity and crossOrigin', async () => {
    const tag = ownTag(STAGING, { integrity: 'sha384-abc', crossOrigin: 'use-credentials' });
    const loading = settled(loader({ crossOrigin: 'anonymous' }));
    await advance(50);
    end(tag, 'error');
    await advance(150);
    expect(await loading).toBe('ready');
    expect(tag.isConnected).toBe(false);
    expect(requested).toMatchObject([
      { integrity: 'sha384-abc', crossOrigin: 'use-credentials', src: `${STAGING}?retry=1` },
    ]);
  });

  it('does not pass its integrity on to a script at another URL', async () => {
    outcomes = ['fails', 'runs'];
    const tag = ownTag(STAGING, { integrity: 'sha384-abc', crossOrigin: 'use-credentials' });
    const failing = settled(loader({ retries: 0 }));
    await advance(50);
    end(tag, 'error');
    await advance(150);
    expect(await failing).toMatchObject({ code: 'network_error' });
    const loading = settled(loader({ loaderUrl: 'https://cdn.staging.test/app/embedded.loader.js' }));
    await advance(50);
    expect(await loading).toBe('ready');
    expect(requested.map(({ integrity }) => integrity)).toEqual(['sha384-abc', '']);
  });

  it('is replaced after a quarter of the timeout if it hangs', async () => {
    const tag = ownTag(STAGING);
    const loading = settled(loader({ timeoutMs: 8_000 }));
    await advance(1_999);
    expect(requested).toEqual([]);
    await advance(50);
    expect(requested).toHaveLength(1);
    await advance(50);
    expect(await loading).toBe('ready');
    expect(tag.isConnected).toBe(false);
  });

  it.each([
    ['a parsed page', [{ domContentLoadedEventStart: 5 }]],
    ['a page without timing entries', []],
  ])('is replaced after 2 s if its resource timing shows an earlier failure: %s', async (_, pages) => {
    ownTag(STAGING);
    vi.spyOn(performance, 'getEntriesByName').mockReturnValue([{ initiatorType: 'script' } as never]);
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue(pages as never[]);
    const loading = settled(loader({ timeoutMs: 200_000 }));
    await advance(1_900);
    expect(requested).toEqual([]);
    await advance(400);
    expect(await loading).toBe('ready');
    expect(requested).toHaveLength(1);
  });

  it('is awaited until the page is parsed if deferred; a preload’s timing entry is ignored', async () => {
    const tag = ownTag(STAGING);
    const record = vi
      .spyOn(performance, 'getEntriesByName')
      .mockReturnValue([{ initiatorType: 'script' } as never]);
    vi.spyOn(performance, 'getEntriesByType').mockImplementation((type) =>
      type === 'navigation' ? [{ domContentLoadedEventStart: 0 } as never] : [],
    );
    const loading = settled(loader({ timeoutMs: 100_000 }));
    await advance(60_000);
    expect(requested).toEqual([]);
    expect(record).toHaveBeenCalledWith(STAGING);
    record.mockReturnValue([{ initiatorType: 'link' } as never]);
    await advance(24_000);
    expect(requested).toEqual([]);
    await advance(2_000);
    expect(await loading).toBe('ready');
    expect(requested).toHaveLength(1);
    expect(tag.isConnected).toBe(false);
  });
});

describe('R-7 a tag of another loader', () => {
  const known = { loaderUrl: undefined, loaderUrls: { staging: STAGING, production: PRODUCTION } };

  it.each([
    ['of the other environment', PRODUCTION, {}, known, 'production'],
    ['of an unknown service', 'https://else.test/app/embedded.loader.js', {}, known, 'https://else.test'],
    [
      'of the same environment at another URL',
      'https://pay.staging.test/b/app/embedded.loader.js',
      {},
      known,
      'https://pay.staging.test',
    ],
    ['that is a module', PRODUCTION, { type: 'module' }, known, 'production'],
    ['of an old type', PRODUCTION, { type: 'application/x-javascript' }, known, 'production'],
  ])('%s is refused by environment, or by origin if unknown', async (_, src, attributes, options, found) => {
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
    ['whose path only starts like one', `${PRODUCTION}.map`, {}],
    ['with a look-alike query', `https://pay.test/x?${PRODUCTION}`, {}],
  ])('%s does not count', async (_, src, attributes) => {
    const tag = ownTag('about:blank');
    Object.assign(tag, attributes);
    Object.defineProperty(tag, 'src', { value: src });
    const loading = settled(loader(known));
    await advance(20);
    expect(await loading).toBe('ready');
  });

  it('makes an already loaded loader refuse further loads and flows', async () => {
    const created = loader(known);
    const loading = created.load();
    await advance(20);
    const service = await loading;
    ownTag(PRODUCTION);
    await expect(service.startFlow('https://pay.staging.test/s/1')).rejects.toMatchObject({
      code: 'environment_mismatch',
    });
    expect(await settled(created)).toMatchObject({ code: 'environment_mismatch' });
  });

  it('counts if we added it and timed out, because it may still run, but not if it failed', async () => {
    outcomes = ['never'];
    const late = settled(loader({ timeoutMs: 1_000 }));
    await advance(1_100);
    expect(await late).toMatchObject({ code: 'timeout' });
    const production = { environment: 'production', loaderUrl: PRODUCTION, retries: 0 };
    expect(await settled(loader(production))).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'production', found: 'staging' },
    });
    end(requested[0] as HTMLScriptElement, 'error');
    outcomes = ['runs'];
    const now = settled(loader(production));
    await advance(20);
    expect(await now).toBe('ready');
  });
});

it.each([
  ['that this loader added', true],
  ['that another script may have defined', false],
])('R-2 the errors of an SDK %s are passed on as they are: %s', async (_, isOurs) => {
  const sessionUrl = 'https://pay.staging.test/s/stg_1#c2VjcmV0';
  const thrown = Object.assign(new Error(`unknown session ${sessionUrl}`), { seen: sessionUrl });
  const sdk = { environment: 'staging', protocol: 1, completePayment: () => Promise.reject(thrown) };
  if (isOurs) outcomes = [(tag) => void ((page['Service'] = sdk), end(tag, 'load'))];
  else page['Service'] = sdk;
  vi.useRealTimers();

  const service = await loader().load();
  const error = await service.completePayment(sessionUrl).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'flow_failed',
    message: expect.stringContaining('unknown session') as string,
  });
  const { message, cause } = error as Error;
  expect(cause === thrown).toBe(isOurs);
  expect(message.includes('c2VjcmV0')).toBe(isOurs);
  if (!isOurs) expect(JSON.stringify(cause)).not.toMatch(/c2VjcmV0|stg_1/);
});

describe('preloading', () => {
  it('preload() fetches the script once without running it', () => {
    const created = loader();
    created.preload();
    created.preload();
    expect(links('prefetch')).toMatchObject([{ href: STAGING }]);
    expect(tags()).toEqual([]);
  });

  it('preload() fetches nothing if the tag is already on the page', () => {
    ownTag(STAGING);
    loader().preload();
    expect(links('prefetch')).toEqual([]);
  });

  it('preload() after a failure fetches the URL of the next attempt', async () => {
    outcomes = ['fails', 'runs'];
    const created = loader({ retries: 0 });
    const loading = settled(created);
    await advance(20);
    await loading;
    created.preload();
    expect(links('prefetch').map(({ href }) => href)).toEqual([`${STAGING}?retry=1`]);
    const again = settled(created);
    await advance(20);
    await again;
    expect(requested.at(-1)?.src).toBe(`${STAGING}?retry=1`);
  });

  it('R-70 warm() passes the loader’s locale and appearance, or those of the call', async () => {
    const warm = vi.fn(async () => {});
    outcomes = [
      (tag) => {
        page['Service'] = { ...SDK, warm };
        end(tag, 'load');
      },
    ];
    const created = loader({ locale: 'es', appearance: { accent: '#336699' } });
    const warming = created.warm();
    await advance(20);
    await warming;
    expect(warm).toHaveBeenLastCalledWith({ locale: 'es', appearance: { accent: '#336699' } });
    await created.warm({ locale: 'fr', appearance: undefined });
    expect(warm).toHaveBeenLastCalledWith({ locale: 'fr', appearance: { accent: '#336699' } });
  });

  it('warm() ends after the timeout and never rejects', async () => {
    outcomes = ['fails', 'runs'];
    const created = loader({ retries: 0, timeoutMs: 3_000 });
    const failing = created.warm();
    await advance(20);
    expect(await failing).toBeUndefined();
    expect(created.state).toBe('failed');
    const bare = created.warm();
    await advance(20);
    expect(await bare).toBeUndefined();
    page['Service'] = undefined;
    delete page[REGISTRY];
    document.head.replaceChildren();
    outcomes = [
      (tag) => {
        page['Service'] = { ...SDK, warm: () => new Promise(() => {}) };
        end(tag, 'load');
      },
    ];
    const isOver = vi.fn();
    void loader({ timeoutMs: 3_000 }).warm().then(isOver);
    await advance(2_000);
    expect(isOver).not.toHaveBeenCalled();
    await advance(2_000);
    expect(isOver).toHaveBeenCalledOnce();
  });
});

describe('a pending load', () => {
  it('rejects only the aborted call and continues for others', async () => {
    const created = loader();
    const leave = new AbortController();
    const leaving = created.load({ signal: leave.signal });
    const staying = settled(created);
    leave.abort('enough');
    await expect(leaving).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    await advance(20);
    expect(await staying).toBe('ready');
    await expect(created.load({ signal: leave.signal })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('on a server rejects with a clear error and has no side effects', async () => {
    const created = loader();
    const { document: browser } = globalThis;
    vi.stubGlobal('document', undefined);
    const loading = await settled(created);
    created.preload();
    await created.warm();
    vi.stubGlobal('document', browser);
    expect(loading).toMatchObject({
      code: 'not_in_browser',
      message: expect.stringMatching(/^Load in the browser, not on the server\. /) as string,
    });
    expect(created.state).toBe('idle');
    expect([tags(), links('prefetch')]).toEqual([[], []]);
    expect(registry().load).toBeUndefined();
  });
});

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type * as LoaderModule from '@embedded-sessions/loader';
import type { EmbeddedService, LoaderEvent, LoaderOptions } from '@embedded-sessions/loader';
import { REGISTRY } from '../../packages/loader/src/registry.js';
import { firstOf, MATRIX_ENGINES, launch, type Origin } from '../harness/index.js';
import {
  liveTags,
  sdk,
  startMerchant,
  startOperator,
  troubleOf,
  visit,
  watchTrouble,
  type Operator,
} from './faults.js';

/** What the tested page defines on its window. */
interface Page_ {
  L: typeof LoaderModule;
  copy(): Promise<typeof LoaderModule>;
  opened?: string[];
  settle(result: unknown): void;
  service?: EmbeddedService;
  outcome?: Promise<unknown>;
}
declare const window: Window & typeof globalThis & Page_;

let operator: Operator;
let merchant: Origin;

beforeAll(async () => {
  operator = await startOperator();
  merchant = await startMerchant();
});
afterAll(async () => {
  await operator.stop();
  await merchant.stop();
});

/** Loads in the page. Returns `ready` or the error code, and the events that `onEvent` received. */
const load = (page: Page, options: LoaderOptions) =>
  page.evaluate(async (options) => {
    const events: LoaderEvent[] = [];
    const loader = window.L.createLoader({ ...options, onEvent: (event) => events.push(event) });
    const before = loader.state;
    const outcome = await loader.load().then(
      (service) => {
        window.service = service;
        return { code: 'ready', message: '', details: {} };
      },
      (error: unknown) =>
        window.L.isLoaderError(error)
          ? { code: error.code, message: error.message, details: error.details }
          : { code: `not a LoaderError: ${String(error)}`, message: '', details: {} },
    );
    return {
      ...outcome,
      events: events.map(({ type, attempt }) => `${type} ${attempt}`),
      states: [before, loader.state],
    };
  }, options);

const count = async (page: Page) => (await liveTags(page)).length;

describe.each(MATRIX_ENGINES)('the fault matrix in %s', (engine) => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    browser = await launch(engine);
    context = await browser.newContext();
    page = await context.newPage();
    await watchTrouble(page);
  });
  afterAll(() => browser?.close());

  const open = (params?: Parameters<typeof visit>[2]) => visit(page, merchant, params);
  afterEach(async () => {
    // In every row: at most one script tag, no unhandled error, nothing of ours on the console.
    expect(await count(page)).toBeLessThanOrEqual(1);
    expect(await troubleOf(page)).toEqual({ unhandled: [], consoleErrors: [] });
    await context.setOffline(false);
    await context.unrouteAll();
  });

  let row = 0;
  const own = (behaviour: string) => `${behaviour}~${engine}${(row += 1)}`;
  const staging = (behaviour: string, more: Partial<LoaderOptions> = {}): LoaderOptions => ({
    environment: 'staging',
    loaderUrl: operator.loaderUrl(behaviour),
    ...more,
  });

  it.each([
    ['script 404', '404', 'network_error'],
    ['script 500', '500', 'network_error'],
    ['connection reset', 'reset', 'network_error'],
    ['body cut off', 'cut', 'network_error'],
  ])('%s: %s after three attempts, no tag left', async (_, fault, code) => {
    await open();
    const behaviour = own(fault);
    const result = await load(page, staging(behaviour));
    expect(result.code).toBe(code);
    expect(result.message).toContain(operator.url);
    expect(result.events).toEqual(['attempt 1', 'attempt 2', 'attempt 3', 'failed 3']);
    expect(result.states).toEqual(['idle', 'failed']);
    expect(await count(page)).toBe(0);
    // A retry busts the cache.
    expect(new Set(operator.requests(behaviour)).size).toBe(3);
  });

  it('retries: 0 means 0', async () => {
    await open();
    const behaviour = own('404');
    expect((await load(page, staging(behaviour, { retries: 0 }))).events).toEqual(['attempt 1', 'failed 1']);
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('a temporary fault: ready after a retry', async () => {
    await open();
    const result = await load(page, staging(own('404-then-500-then-ok')));
    expect(result.code).toBe('ready');
    expect(result.events).toEqual(['attempt 1', 'attempt 2', 'attempt 3', 'ready 3']);
    expect(await count(page)).toBe(1);
  });

  it('a failure is forgotten: the next call tries again', async () => {
    await open();
    const options = staging(own('404-then-ok'), { retries: 0 });
    expect((await load(page, options)).code).toBe('network_error');
    expect((await load(page, options)).code).toBe('ready');
    expect(await count(page)).toBe(1);
  });

  it.each([
    ['server never answers', 'hang'],
    ['server drips', 'drip'],
  ])('%s: timeout, no tag left', async (_, fault) => {
    await open();
    expect((await load(page, staging(own(fault), { timeoutMs: 400 }))).code).toBe('timeout');
    expect(await count(page)).toBe(0);
  });

  it('R-7 another address of the same environment, after a timeout: no mismatch, ready', async () => {
    await open();
    expect((await load(page, staging(own('hang'), { timeoutMs: 400 }))).code).toBe('timeout');
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('preload with an SDK already on the page: fetches nothing', async () => {
    await open();
    const options = staging(own('ok'));
    const links = () => page.evaluate(() => document.querySelectorAll('link[rel=prefetch]').length);
    const preload = () => page.evaluate((options) => window.L.createLoader(options).preload(), options);
    expect((await load(page, options)).code).toBe('ready');
    await preload();
    expect(await links()).toBe(0);
  });

  it('timeout with a retry in flight: timeout, no tag left, no third attempt', async () => {
    await open();
    const behaviour = own('404-then-hang');
    const result = await load(page, staging(behaviour, { timeoutMs: 4_000 }));
    expect(result.code).toBe('timeout');
    expect(result.events).toEqual(['attempt 1', 'attempt 2', 'failed 2']);
    expect(await count(page)).toBe(0);
  });

  it('R-5 200 without the global: service_missing, naming the global', async () => {
    await open();
    const result = await load(page, staging(own('missing'), { globalName: 'Acme' }));
    expect(result.code).toBe('service_missing');
    expect(result.message).toContain('window.Acme');
    expect(await count(page)).toBe(0);
  });

  it.each([
    ['staging', 'production'],
    ['production', 'ok'],
  ] as const)(
    'R-7 a %s loader with a global of the other environment: environment_mismatch',
    async (environment, fault) => {
      await open();
      const found = environment === 'staging' ? 'production' : 'staging';
      const result = await load(page, { environment, loaderUrl: operator.loaderUrl(own(fault)) });
      expect(result).toMatchObject({
        code: 'environment_mismatch',
        details: { expected: environment, found },
      });
      expect(await count(page)).toBe(0);
    },
  );

  it('R-7 a global with neither a tag nor a reported environment: environment_mismatch', async () => {
    await open({ head: `<script>${sdk()}</script>` });
    const behaviour = own('ok');
    expect((await load(page, staging(behaviour))).code).toBe('environment_mismatch');
    expect(operator.requests(behaviour)).toEqual([]);
  });

  it('a global of the right environment without a tag: used', async () => {
    await open({ head: `<script>${sdk('staging')}</script>` });
    const behaviour = own('ok');
    expect(await load(page, staging(behaviour))).toMatchObject({ code: 'ready', events: ['ready 0'] });
    expect(operator.requests(behaviour)).toEqual([]);
  });

  it('R-5 a global that appears a second after its script: awaited', async () => {
    await open();
    const behaviour = own('late');
    expect(await load(page, staging(behaviour))).toMatchObject({
      code: 'ready',
      events: ['attempt 1', 'ready 1'],
    });
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('a script with an invalid address on the page: ignored', async () => {
    await open({ head: '<script src="https://%HOST%/app/embedded.loader.js"></script>' });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
    await page.evaluate(() => document.querySelector('script[src*="%HOST%"]')?.remove());
  });

  it.each(['text/plain', 'javascript/blocked'])(
    'a tag that a consent manager parked as %s: not awaited',
    async (type) => {
      const behaviour = own('ok');
      await open({ head: `<script type="${type}" src="${operator.loaderUrl(behaviour)}"></script>` });
      // Waiting here would take a quarter of the total time.
      const timeoutMs = 120_000;
      const began = Date.now();
      expect((await load(page, staging(behaviour, { timeoutMs }))).code).toBe('ready');
      expect(Date.now() - began).toBeLessThan(timeoutMs / 4);
      expect(operator.requests(behaviour)).toHaveLength(1);
      await page.evaluate((type) => document.querySelector(`script[type="${type}"]`)?.remove(), type);
    },
  );

  it('a deferred tag behind a slow one: adopted, the SDK runs once', async () => {
    const behaviour = own('ok');
    const slow = own('held');
    const loading = open({
      head: `<script defer src="${operator.loaderUrl(slow).replace('embedded.loader', 'other')}"></script>
        <script defer src="${operator.loaderUrl(behaviour)}"></script>
        <script type="module" async src="/start.js"></script>`,
    });
    await loading;
    const outcome = load(page, staging(behaviour));
    await page.waitForFunction(
      (url) => performance.getEntriesByName(url).length > 0,
      operator.loaderUrl(behaviour),
    );
    operator.release();
    expect(await outcome).toMatchObject({ code: 'ready', events: ['ready 0'] });
  });

  it('the global throws when it is read: service_missing', async () => {
    const script = `Object.defineProperty(window, 'Service', { get() { throw new Error('no'); } })`;
    await open({ head: `<script>${script}</script>` });
    expect((await load(page, staging(own('ok')))).code).toBe('service_missing');
  });

  it('a global with a function for every name is not treated as a promise', async () => {
    const behaviour = own('ok');
    await open({
      head: `<script src="${operator.loaderUrl(behaviour)}"></script><script>
        window.Service = new Proxy(() => window.Service, { get: () => () => window.Service });</script>`,
    });
    expect((await load(page, staging(behaviour))).code).toBe('ready');
  });

  it('preload and warm: the SDK is loaded once and warmed, and no failure is reported', async () => {
    await open();
    const behaviour = own('ok');
    const options = staging(behaviour, {
      crossOrigin: 'anonymous',
      locale: 'es',
    });
    const seen = await page.evaluate(
      async ([options, failing]) => {
        const loader = window.L.createLoader(options!);
        loader.preload();
        await loader.warm();
        Object.assign((window as unknown as { Service: object }).Service, {
          warm: (dress: object) => {
            Object.assign(window, { warmed: dress });
            throw new Error('no');
          },
        });
        await loader.warm();
        await window.L.createLoader(failing!).warm();
        return {
          state: loader.state,
          warmed: (window as { warmed?: unknown }).warmed,
          crossOrigin: document.querySelector<HTMLScriptElement>('script[src*=embedded]')?.crossOrigin,
        };
      },
      [options, { ...options, globalName: 'Other' }],
    );
    expect(seen).toEqual({
      state: 'ready',
      warmed: { locale: 'es' },
      crossOrigin: 'anonymous',
    });
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('an element named like the global is not the SDK', async () => {
    await open({ head: '<a id="Service"></a>' });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('tag already there, loading: adopted', async () => {
    const behaviour = own('held');
    await open({ head: `<script async src="${operator.loaderUrl(behaviour)}"></script>` });
    const loading = load(page, staging(behaviour));
    await page.waitForFunction(() => window.L);
    await expect.poll(() => operator.requests(behaviour).length).toBe(1);
    operator.release();
    expect(await loading).toMatchObject({ code: 'ready', events: ['ready 0'] });
    expect(operator.requests(behaviour)).toHaveLength(1);
    expect(await count(page)).toBe(1);
  });

  it('tag already there, deferred: adopted', async () => {
    const behaviour = own('silent');
    await open({ head: `<script defer src="${operator.loaderUrl(behaviour)}"></script>` });
    expect((await load(page, staging(behaviour))).code).toBe('ready');
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('tag already there, loaded: adopted', async () => {
    const behaviour = own('silent');
    await open({ head: `<script src="${operator.loaderUrl(behaviour)}"></script>` });
    expect(await load(page, staging(behaviour))).toMatchObject({ code: 'ready', events: ['ready 0'] });
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it.each(firstOf(1, ['404', '500']))('tag already there, failed by %s: replaced', async (fault) => {
    const behaviour = own(`${fault}-then-ok`);
    await open({ head: `<script src="${operator.loaderUrl(behaviour)}"></script>` });
    await page.waitForLoadState('load');
    expect(await load(page, staging(behaviour))).toMatchObject({
      code: 'ready',
      events: ['attempt 1', 'ready 1'],
    });
    expect(await count(page)).toBe(1);
  });

  it('tag already there, refused by its integrity: replaced under the same condition, never without', async () => {
    const behaviour = own('ok');
    const integrity = `sha256-${'A'.repeat(43)}=`;
    await open({
      head: `<script src="${operator.loaderUrl(behaviour)}" integrity="${integrity}" crossorigin="anonymous"></script>`,
    });
    expect((await load(page, staging(behaviour, { retries: 1 }))).code).toBe('network_error');
    expect(await page.evaluate(() => Object.hasOwn(window, 'Service'))).toBe(false);
    expect(operator.requests(behaviour)).toHaveLength(3);
  });

  it('tag already there, never answered: replaced before the timeout', async () => {
    const behaviour = own('hang-then-ok');
    await open();
    await page.evaluate((src) => {
      const tag = document.createElement('script');
      tag.src = src;
      document.head.append(tag);
    }, operator.loaderUrl(behaviour));
    expect((await load(page, staging(behaviour, { timeoutMs: 8_000 }))).code).toBe('ready');
    expect(await count(page)).toBe(1);
  });

  it('R-7 tag of the other environment on the page: environment_mismatch by its name, or else its origin', async () => {
    const other = operator.loaderUrl(own('silent'));
    const behaviour = own('ok');
    await open({ head: `<script src="${other}"></script>` });
    const options = staging(behaviour);
    expect(await load(page, options)).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: operator.url },
    });
    expect(await load(page, { ...options, loaderUrls: { production: other } })).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: 'production' },
    });
    expect(operator.requests(behaviour)).toEqual([]);
  });

  it('R-7 both directions: staging loaded, then production, and the reverse, are refused', async () => {
    for (const environment of ['staging', 'production'] as const) {
      await open();
      const other = environment === 'staging' ? 'production' : 'staging';
      const loaderUrls = {
        [environment]: operator.loaderUrl(own('silent')),
        [other]: operator.loaderUrl(own('silent')),
      };
      expect((await load(page, { environment, loaderUrls })).code).toBe('ready');
      const result = await load(page, { environment: other, loaderUrls });
      expect(result).toMatchObject({
        code: 'environment_mismatch',
        details: { expected: other, found: environment },
      });
      expect(result.message).toContain('staging');
      expect(result.message).toContain('production');
    }
  });

  it('R-7 a session of the other environment: environment_mismatch, nothing opened', async () => {
    await open();
    const [here, there] = [own('ok'), own('ok')];
    const loaderUrls = { staging: operator.loaderUrl(here), production: operator.loaderUrl(there) };
    await load(page, { environment: 'staging', loaderUrls });
    const outcome = await page.evaluate(
      async ([own, other]) => {
        const codes: unknown[] = [];
        for (const session of [
          other!,
          { sessionUrl: own!, environment: 'production' as const },
          'https://evil.test/s/1',
        ])
          codes.push(
            await window.service!.completePayment(session).catch((error: { code: string }) => error.code),
          );
        return { codes, opened: window.opened };
      },
      [`${operator.url}/${here}/s/1#x`, `${operator.url}/${there}/s/1#x`],
    );
    expect(outcome).toEqual({
      codes: ['environment_mismatch', 'environment_mismatch', 'unknown_session_url'],
      opened: [],
    });
  });

  it('concurrent calls: one tag and one request', async () => {
    await open();
    const behaviour = own('ok');
    const codes = await page.evaluate(async (options) => {
      const loader = window.L.createLoader(options);
      const calls = [
        loader.load(),
        loader.load(),
        window.L.loadService(options),
        window.L.createLoader(options).load(),
      ];
      return (await Promise.allSettled(calls)).map(({ status }) => status);
    }, staging(behaviour));
    expect(codes).toEqual(Array.from({ length: 4 }, () => 'fulfilled'));
    expect(operator.requests(behaviour)).toHaveLength(1);
    expect(await count(page)).toBe(1);
  });

  it('two copies of the package: one tag, one request, errors recognized by both', async () => {
    await open();
    const behaviour = own('held');
    const loading = page.evaluate(async (options) => {
      const copy = await window.copy();
      const both = Promise.all([window.L.loadService(options), copy.loadService(options)]);
      const refusal: unknown = await copy
        .loadService({ ...options, globalName: 'Other' })
        .catch((error: unknown) => error);
      await both;
      return { same: copy.createLoader === window.L.createLoader, known: window.L.isLoaderError(refusal) };
    }, staging(behaviour));
    await expect.poll(() => operator.requests(behaviour).length).toBe(1);
    operator.release();
    expect(await loading).toEqual({ same: false, known: true });
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('second call with other options: options_conflict naming the field, except for callbacks', async () => {
    await open();
    const options = staging(own('ok'));
    expect((await load(page, options)).code).toBe('ready');
    expect(await load(page, { ...options, globalName: 'Other' })).toMatchObject({
      code: 'options_conflict',
      details: { field: 'globalName' },
    });
    expect(await load(page, { ...options, sessionPrefixes: { staging: ['https://s.test'] } })).toMatchObject({
      code: 'options_conflict',
      details: { field: 'sessionPrefixes' },
    });
    expect((await load(page, options)).code).toBe('ready');
  });

  it('offline, then online: offline, then ready', async () => {
    await open();
    const options = staging(own('ok'), { retries: 1 });
    await context.setOffline(true);
    expect((await load(page, options)).code).toBe('offline');
    expect(await count(page)).toBe(0);
    await context.setOffline(false);
    expect((await load(page, options)).code).toBe('ready');
  });

  it('ad blocker, the request aborted: network_error', async () => {
    await open();
    const behaviour = own('ok');
    const options = staging(behaviour, { retries: 0 });
    await context.route('**/app/embedded.loader.js*', (route) => route.abort('blockedbyclient'));
    expect((await load(page, options)).code).toBe('network_error');
    expect(await count(page)).toBe(0);
  });

  const self = () => `script-src 'self'`;
  it('CSP without the host: csp_blocked at the first attempt, naming host and directive', async () => {
    await open({ csp: self() });
    const result = await load(page, staging(own('ok')));
    expect(result.code).toBe('csp_blocked');
    expect(result.message).toContain(operator.url);
    expect(result.message).toContain('script-src');
    expect(result.events).toEqual(['attempt 1', 'failed 1']);
    expect(await count(page)).toBe(0);
  });

  it('CSP with the host, which redirects to one without: csp_blocked', async () => {
    await open({ csp: `${self()} ${operator.url}` });
    const result = await load(page, staging(own('redirect')));
    expect(result.code).toBe('csp_blocked');
    expect(result.message).toContain('script-src');
  });

  it('report-only CSP: ready, and failures keep their own reason', async () => {
    await open({ report: self() });
    expect((await load(page, staging(own('404'), { retries: 0 }))).code).toBe('network_error');
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('CSP with the host: ready', async () => {
    await open({ csp: `${self()} ${operator.url}` });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('CSP nonce: from the page’s own scripts, or from the options', async () => {
    await open({ csp: `script-src 'nonce-abc'`, nonce: 'abc' });
    // The module's own imports are allowed by 'strict-dynamic' only; here the nonce has to be enough.
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('CSP strict-dynamic: ready', async () => {
    await open({ csp: `script-src 'nonce-abc' 'strict-dynamic'`, nonce: 'abc' });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('Trusted Types enforced, our policy allowed: ready', async () => {
    await open({ csp: `require-trusted-types-for 'script'; trusted-types embedded-sessions` });
    expect((await load(page, staging(own('404-then-ok')))).code).toBe('ready');
  });

  it('Trusted Types enforced, two copies share the policy', async () => {
    await open({ csp: `require-trusted-types-for 'script'; trusted-types embedded-sessions` });
    const code = await page.evaluate(
      async (options) => {
        await window.L.loadService({ ...options, retries: 0 }).catch(() => {});
        const copy = await window.copy();
        return copy.loadService(options).then(
          () => 'ready',
          (error: { code: string }) => error.code,
        );
      },
      staging(own('404-then-ok')),
    );
    expect(code).toBe('ready');
  });

  it('Trusted Types enforced: the shared policy accepts only what we load', async () => {
    await open({ csp: `require-trusted-types-for 'script'; trusted-types embedded-sessions` });
    await load(page, staging(own('ok')));
    const made = await page.evaluate((name) => {
      const page = (
        window as unknown as Record<symbol, { policy: { createScriptURL(url: string): unknown } }>
      )[Symbol.for(name)];
      return String(page?.policy.createScriptURL('https://evil.test/app/embedded.loader.js'));
    }, Symbol.keyFor(REGISTRY)!);
    expect(made).toBe('');
  });

  it('Trusted Types enforced, our policy not allowed: csp_blocked naming the policy', async () => {
    await open({ csp: `require-trusted-types-for 'script'; trusted-types theirs` });
    const result = await load(page, staging(own('ok')));
    expect(result.code).toBe('csp_blocked');
    expect(result.message).toContain('embedded-sessions');
  });

  it('abort before: nothing fetched; during: rejects only its own caller; after: no effect', async () => {
    await open();
    const behaviour = own('held');
    const running = page.evaluate(async (options) => {
      const loader = window.L.createLoader(options);
      const code = (error: { code: string }) => error.code;
      const before = await loader.load({ signal: AbortSignal.abort() }).catch(code);
      const tags = document.querySelectorAll('script[src*=embedded]').length;
      const controller = new AbortController();
      const leaving = loader.load({ signal: controller.signal }).catch(code);
      const staying = loader.load();
      controller.abort();
      const whileLoading = await leaving;
      const { environment } = await staying;
      const late = new AbortController();
      await loader.load({ signal: late.signal });
      late.abort();
      return { before, tags, whileLoading, environment, state: loader.state };
    }, staging(behaviour));
    await expect.poll(() => operator.requests(behaviour).length).toBe(1);
    operator.release();
    expect(await running).toEqual({
      before: 'aborted',
      tags: 0,
      whileLoading: 'aborted',
      environment: 'staging',
      state: 'ready',
    });
  });

  it('removed tag, while loading and after: ready, and ready again without a request', async () => {
    await open();
    const behaviour = own('held');
    const options = staging(behaviour);
    const loading = load(page, options);
    await expect.poll(() => operator.requests(behaviour).length).toBe(1);
    await page.evaluate(() => document.querySelector('script[src*=embedded]')?.remove());
    operator.release();
    expect((await loading).code).toBe('ready');
    expect((await load(page, options)).code).toBe('ready');
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('R-7 slow script that runs after the timeout: opens nothing, and keeps its environment', async () => {
    await open();
    const behaviour = own('held');
    const options = staging(behaviour, { timeoutMs: 300 });
    expect((await load(page, options)).code).toBe('timeout');
    expect(await count(page)).toBe(0);
    const production: LoaderOptions = {
      environment: 'production',
      loaderUrl: operator.loaderUrl(own('production')),
    };
    const refused = { code: 'environment_mismatch', details: { expected: 'production', found: 'staging' } };
    expect(await load(page, production)).toMatchObject(refused);
    operator.release();
    await page.waitForFunction(() => Object.hasOwn(window, 'Service'));
    expect(await page.evaluate(() => window.opened)).toEqual([]);
    expect(await load(page, production)).toMatchObject(refused);
    expect((await load(page, options)).code).toBe('ready');
  });

  it('server never answers, then recovers: the next call does not wait for the stuck request', async () => {
    await open();
    const options = staging(own('hang-then-ok'), { timeoutMs: 400 });
    expect((await load(page, options)).code).toBe('timeout');
    expect((await load(page, { ...options, timeoutMs: 20_000 })).code).toBe('ready');
  });

  it('preload: fetched once and not executed', async () => {
    await open();
    const behaviour = own('ok');
    const options = staging(behaviour);
    await page.evaluate((options) => {
      const loader = window.L.createLoader(options);
      loader.preload();
      loader.preload();
    }, options);
    await expect.poll(() => operator.requests(behaviour).length).toBe(1);
    expect(
      await page.evaluate(() => [
        Object.hasOwn(window, 'Service'),
        document.querySelectorAll('link[rel=prefetch]').length,
      ]),
    ).toEqual([false, 1]);
    expect((await load(page, options)).code).toBe('ready');
    expect(operator.requests(behaviour)).toHaveLength(1);
  });

  it('preload: no warning in the console of a page where nobody pays', async () => {
    const messages: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    await open();
    const behaviour = own('ok');
    await page.evaluate((options) => window.L.createLoader(options).preload(), staging(behaviour));
    await expect.poll(() => operator.requests(behaviour).length).toBe(1);
    // Chromium warns of an unused preload three seconds after the page has loaded.
    await page.waitForTimeout(5_000);
    expect(messages).toEqual([]);
  });

  it('preload after a failure: the fetched script is the one that runs', async () => {
    await open();
    const behaviour = own('404-then-ok');
    const options = staging(behaviour, { retries: 0 });
    expect((await load(page, options)).code).toBe('network_error');
    await page.evaluate((options) => window.L.createLoader(options).preload(), options);
    await expect.poll(() => operator.requests(behaviour).length).toBe(2);
    expect((await load(page, options)).code).toBe('ready');
    expect(operator.requests(behaviour)).toHaveLength(2);
  });
});

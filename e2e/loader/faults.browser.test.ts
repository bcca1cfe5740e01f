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

/** Globals of the tested page. */
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

/** Loads the SDK in the page. Returns `ready` or the error code, and the events. */
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
    // After every test: at most one script tag, no unhandled error, and no console message of ours.
    expect(await count(page)).toBeLessThanOrEqual(1);
    expect(await troubleOf(page)).toEqual({ unhandled: [], consoleErrors: [] });
    await context.setOffline(false);
    await context.unrouteAll();
  });

  let row = 0;
  const own = (behavior: string) => `${behavior}~${engine}${(row += 1)}`;
  const staging = (behavior: string, more: Partial<LoaderOptions> = {}): LoaderOptions => ({
    environment: 'staging',
    loaderUrl: operator.loaderUrl(behavior),
    ...more,
  });

  it.each(
    firstOf(1, [
      ['script 404', '404', 'network_error'],
      ['connection reset', 'reset', 'network_error'],
      ['script 500', '500', 'network_error'],
      ['body cut off', 'cut', 'network_error'],
    ]),
  )('%s: fails with %s after three attempts and leaves no tag', async (_, fault, code) => {
    await open();
    const behavior = own(fault);
    const result = await load(page, staging(behavior));
    expect(result.code).toBe(code);
    expect(result.message).toContain(operator.url);
    expect(result.events).toEqual(['attempt 1', 'attempt 2', 'attempt 3', 'failed 3']);
    expect(result.states).toEqual(['idle', 'failed']);
    expect(await count(page)).toBe(0);
    // Each retry busts the cache.
    expect(new Set(operator.requests(behavior)).size).toBe(3);
  });

  it('does not retry if retries is 0', { tags: 'thorough' }, async () => {
    await open();
    const behavior = own('404');
    expect((await load(page, staging(behavior, { retries: 0 }))).events).toEqual(['attempt 1', 'failed 1']);
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('is ready on a retry after a temporary fault', { tags: ['thorough'] }, async () => {
    await open();
    const result = await load(page, staging(own('404-then-500-then-ok')));
    expect(result.code).toBe('ready');
    expect(result.events).toEqual(['attempt 1', 'attempt 2', 'attempt 3', 'ready 3']);
    expect(await count(page)).toBe(1);
  });

  it('tries again on the next call after a failure', async () => {
    await open();
    const options = staging(own('404-then-ok'), { retries: 0 });
    expect((await load(page, options)).code).toBe('network_error');
    expect((await load(page, options)).code).toBe('ready');
    expect(await count(page)).toBe(1);
  });

  it.each(
    firstOf(1, [
      ['server never responds', 'hang'],
      ['server drips', 'drip'],
    ]),
  )('%s: times out and leaves no tag', async (_, fault) => {
    await open();
    expect((await load(page, staging(own(fault), { timeoutMs: 400 }))).code).toBe('timeout');
    expect(await count(page)).toBe(0);
  });

  it(
    'R-7 loads from another address of the same environment after a timeout',
    { tags: ['thorough'] },
    async () => {
      await open();
      expect((await load(page, staging(own('hang'), { timeoutMs: 400 }))).code).toBe('timeout');
      expect((await load(page, staging(own('ok')))).code).toBe('ready');
    },
  );

  it('preload fetches nothing if the SDK is already on the page', { tags: 'thorough' }, async () => {
    await open();
    const options = staging(own('ok'));
    const links = () => page.evaluate(() => document.querySelectorAll('link[rel=prefetch]').length);
    const preload = () => page.evaluate((options) => window.L.createLoader(options).preload(), options);
    expect((await load(page, options)).code).toBe('ready');
    await preload();
    expect(await links()).toBe(0);
  });

  it(
    'times out during a retry, leaves no tag, and makes no third attempt',
    { tags: ['thorough'] },
    async () => {
      await open();
      const behavior = own('404-then-hang');
      const result = await load(page, staging(behavior, { timeoutMs: 4_000 }));
      expect(result.code).toBe('timeout');
      expect(result.events).toEqual(['attempt 1', 'attempt 2', 'failed 2']);
      expect(await count(page)).toBe(0);
    },
  );

  it('R-5 fails with service_missing and names the global if the script does not define it', async () => {
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
    'R-7 a %s loader fails with environment_mismatch if the global is of the other environment',
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

  it('R-7 fails with environment_mismatch if the global has neither a tag nor an environment', async () => {
    await open({ head: `<script>${sdk()}</script>` });
    const behavior = own('ok');
    expect((await load(page, staging(behavior))).code).toBe('environment_mismatch');
    expect(operator.requests(behavior)).toEqual([]);
  });

  it('uses a global of the right environment without a tag', { tags: ['thorough'] }, async () => {
    await open({ head: `<script>${sdk('staging')}</script>` });
    const behavior = own('ok');
    expect(await load(page, staging(behavior))).toMatchObject({ code: 'ready', events: ['ready 0'] });
    expect(operator.requests(behavior)).toEqual([]);
  });

  it('R-5 waits for a global that appears a second after its script', { tags: ['thorough'] }, async () => {
    await open();
    const behavior = own('late');
    expect(await load(page, staging(behavior))).toMatchObject({
      code: 'ready',
      events: ['attempt 1', 'ready 1'],
    });
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('ignores a script with an invalid address', { tags: 'thorough' }, async () => {
    await open({ head: '<script src="https://%HOST%/app/embedded.loader.js"></script>' });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
    await page.evaluate(() => document.querySelector('script[src*="%HOST%"]')?.remove());
  });

  it.each(firstOf(1, ['text/plain', 'javascript/blocked']))(
    'does not wait for a tag that a consent manager disabled as %s',
    async (type) => {
      const behavior = own('ok');
      await open({ head: `<script type="${type}" src="${operator.loaderUrl(behavior)}"></script>` });
      // Waiting here would take a quarter of the total time.
      const timeoutMs = 120_000;
      const began = Date.now();
      expect((await load(page, staging(behavior, { timeoutMs }))).code).toBe('ready');
      expect(Date.now() - began).toBeLessThan(timeoutMs / 4);
      expect(operator.requests(behavior)).toHaveLength(1);
      await page.evaluate((type) => document.querySelector(`script[type="${type}"]`)?.remove(), type);
    },
  );

  it('adopts a deferred tag behind a slow one, and runs the SDK once', { tags: ['thorough'] }, async () => {
    const behavior = own('ok');
    const slow = own('held');
    const loading = open({
      head: `<script defer src="${operator.loaderUrl(slow).replace('embedded.loader', 'other')}"></script>
        <script defer src="${operator.loaderUrl(behavior)}"></script>
        <script type="module" async src="/start.js"></script>`,
    });
    await loading;
    const outcome = load(page, staging(behavior));
    await page.waitForFunction(
      (url) => performance.getEntriesByName(url).length > 0,
      operator.loaderUrl(behavior),
    );
    operator.release();
    expect(await outcome).toMatchObject({ code: 'ready', events: ['ready 0'] });
  });

  it('fails with service_missing if reading the global throws', { tags: 'thorough' }, async () => {
    const script = `Object.defineProperty(window, 'Service', { get() { throw new Error('no'); } })`;
    await open({ head: `<script>${script}</script>` });
    expect((await load(page, staging(own('ok')))).code).toBe('service_missing');
  });

  it('does not treat a global with a function for every name as a promise', async () => {
    const behavior = own('ok');
    await open({
      head: `<script src="${operator.loaderUrl(behavior)}"></script><script>
        window.Service = new Proxy(() => window.Service, { get: () => () => window.Service });</script>`,
    });
    expect((await load(page, staging(behavior))).code).toBe('ready');
  });

  it('preload and warm load the SDK once, warm it, and report no failure', async () => {
    await open();
    const behavior = own('ok');
    const options = staging(behavior, {
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
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('does not mistake an element named like the global for the SDK', { tags: ['thorough'] }, async () => {
    await open({ head: '<a id="Service"></a>' });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('adopts an existing tag that is loading', { tags: ['thorough'] }, async () => {
    const behavior = own('held');
    await open({ head: `<script async src="${operator.loaderUrl(behavior)}"></script>` });
    const loading = load(page, staging(behavior));
    await page.waitForFunction(() => window.L);
    await expect.poll(() => operator.requests(behavior).length).toBe(1);
    operator.release();
    expect(await loading).toMatchObject({ code: 'ready', events: ['ready 0'] });
    expect(operator.requests(behavior)).toHaveLength(1);
    expect(await count(page)).toBe(1);
  });

  it('adopts an existing deferred tag', { tags: 'thorough' }, async () => {
    const behavior = own('silent');
    await open({ head: `<script defer src="${operator.loaderUrl(behavior)}"></script>` });
    expect((await load(page, staging(behavior))).code).toBe('ready');
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('adopts an existing tag that has loaded', async () => {
    const behavior = own('silent');
    await open({ head: `<script src="${operator.loaderUrl(behavior)}"></script>` });
    expect(await load(page, staging(behavior))).toMatchObject({ code: 'ready', events: ['ready 0'] });
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it.each(firstOf(1, ['404', '500']))(
    'replaces an existing tag that failed with %s',
    { tags: ['thorough'] },
    async (fault) => {
      const behavior = own(`${fault}-then-ok`);
      await open({ head: `<script src="${operator.loaderUrl(behavior)}"></script>` });
      await page.waitForLoadState('load');
      expect(await load(page, staging(behavior))).toMatchObject({
        code: 'ready',
        events: ['attempt 1', 'ready 1'],
      });
      expect(await count(page)).toBe(1);
    },
  );

  it(
    'replaces an existing tag that failed its integrity check, and keeps the integrity',
    { tags: ['thorough'] },
    async () => {
      const behavior = own('ok');
      const integrity = `sha256-${'A'.repeat(43)}=`;
      await open({
        head: `<script src="${operator.loaderUrl(behavior)}" integrity="${integrity}" crossorigin="anonymous"></script>`,
      });
      expect((await load(page, staging(behavior, { retries: 1 }))).code).toBe('network_error');
      expect(await page.evaluate(() => Object.hasOwn(window, 'Service'))).toBe(false);
      expect(operator.requests(behavior)).toHaveLength(3);
    },
  );

  it('replaces an existing tag that hangs, before the timeout', { tags: ['thorough'] }, async () => {
    const behavior = own('hang-then-ok');
    await open();
    await page.evaluate((src) => {
      const tag = document.createElement('script');
      tag.src = src;
      document.head.append(tag);
    }, operator.loaderUrl(behavior));
    expect((await load(page, staging(behavior, { timeoutMs: 8_000 }))).code).toBe('ready');
    expect(await count(page)).toBe(1);
  });

  it('R-7 fails with environment_mismatch for another environment’s tag, and names it or its origin', async () => {
    const other = operator.loaderUrl(own('silent'));
    const behavior = own('ok');
    await open({ head: `<script src="${other}"></script>` });
    const options = staging(behavior);
    expect(await load(page, options)).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: operator.url },
    });
    expect(await load(page, { ...options, loaderUrls: { production: other } })).toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: 'production' },
    });
    expect(operator.requests(behavior)).toEqual([]);
  });

  it('R-7 refuses a second environment in both directions', async () => {
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

  it('R-7 fails with environment_mismatch and opens nothing for a session of the other environment', async () => {
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

  it('shares one tag and one request between concurrent calls', async () => {
    await open();
    const behavior = own('ok');
    const codes = await page.evaluate(async (options) => {
      const loader = window.L.createLoader(options);
      const calls = [
        loader.load(),
        loader.load(),
        window.L.loadService(options),
        window.L.createLoader(options).load(),
      ];
      return (await Promise.allSettled(calls)).map(({ status }) => status);
    }, staging(behavior));
    expect(codes).toEqual(Array.from({ length: 4 }, () => 'fulfilled'));
    expect(operator.requests(behavior)).toHaveLength(1);
    expect(await count(page)).toBe(1);
  });

  it(
    'shares one tag, one request and errors between two copies of the package',
    { tags: ['thorough'] },
    async () => {
      await open();
      const behavior = own('held');
      const loading = page.evaluate(async (options) => {
        const copy = await window.copy();
        const both = Promise.all([window.L.loadService(options), copy.loadService(options)]);
        const refusal: unknown = await copy
          .loadService({ ...options, globalName: 'Other' })
          .catch((error: unknown) => error);
        await both;
        return { same: copy.createLoader === window.L.createLoader, known: window.L.isLoaderError(refusal) };
      }, staging(behavior));
      await expect.poll(() => operator.requests(behavior).length).toBe(1);
      operator.release();
      expect(await loading).toEqual({ same: false, known: true });
      expect(operator.requests(behavior)).toHaveLength(1);
    },
  );

  it(
    'fails with options_conflict and names the field if a second call differs, except in callbacks',
    { tags: 'thorough' },
    async () => {
      await open();
      const options = staging(own('ok'));
      expect((await load(page, options)).code).toBe('ready');
      expect(await load(page, { ...options, globalName: 'Other' })).toMatchObject({
        code: 'options_conflict',
        details: { field: 'globalName' },
      });
      expect(
        await load(page, { ...options, sessionPrefixes: { staging: ['https://s.test'] } }),
      ).toMatchObject({
        code: 'options_conflict',
        details: { field: 'sessionPrefixes' },
      });
      expect((await load(page, options)).code).toBe('ready');
    },
  );

  it('fails with offline, and is ready once back online', async () => {
    await open();
    const options = staging(own('ok'), { retries: 1 });
    await context.setOffline(true);
    expect((await load(page, options)).code).toBe('offline');
    expect(await count(page)).toBe(0);
    await context.setOffline(false);
    expect((await load(page, options)).code).toBe('ready');
  });

  it('fails with network_error if an ad blocker aborts the request', { tags: ['thorough'] }, async () => {
    await open();
    const behavior = own('ok');
    const options = staging(behavior, { retries: 0 });
    await context.route('**/app/embedded.loader.js*', (route) => route.abort('blockedbyclient'));
    expect((await load(page, options)).code).toBe('network_error');
    expect(await count(page)).toBe(0);
  });

  const self = () => `script-src 'self'`;
  it('CSP without the host: fails with csp_blocked immediately, and names host and directive', async () => {
    await open({ csp: self() });
    const result = await load(page, staging(own('ok')));
    expect(result.code).toBe('csp_blocked');
    expect(result.message).toContain(operator.url);
    expect(result.message).toContain('script-src');
    expect(result.events).toEqual(['attempt 1', 'failed 1']);
    expect(await count(page)).toBe(0);
  });

  it(
    'CSP with the host, which redirects to a blocked one: fails with csp_blocked',
    { tags: ['thorough'] },
    async () => {
      await open({ csp: `${self()} ${operator.url}` });
      const result = await load(page, staging(own('redirect')));
      expect(result.code).toBe('csp_blocked');
      expect(result.message).toContain('script-src');
    },
  );

  it('report-only CSP: is ready, and failures keep their own reason', { tags: ['thorough'] }, async () => {
    await open({ report: self() });
    expect((await load(page, staging(own('404'), { retries: 0 }))).code).toBe('network_error');
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('CSP with the host: is ready', { tags: ['thorough'] }, async () => {
    await open({ csp: `${self()} ${operator.url}` });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('CSP nonce: uses that of the page’s own scripts or of the options', async () => {
    await open({ csp: `script-src 'nonce-abc'`, nonce: 'abc' });
    // Only 'strict-dynamic' would allow the module's own imports. Here the nonce has to suffice.
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('CSP strict-dynamic: is ready', { tags: ['thorough'] }, async () => {
    await open({ csp: `script-src 'nonce-abc' 'strict-dynamic'`, nonce: 'abc' });
    expect((await load(page, staging(own('ok')))).code).toBe('ready');
  });

  it('Trusted Types with our policy allowed: is ready', { tags: ['thorough'] }, async () => {
    await open({ csp: `require-trusted-types-for 'script'; trusted-types embedded-sessions` });
    expect((await load(page, staging(own('404-then-ok')))).code).toBe('ready');
  });

  it('Trusted Types: two copies share the policy', { tags: ['thorough'] }, async () => {
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

  it('Trusted Types: the shared policy accepts only what we load', { tags: ['thorough'] }, async () => {
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

  it('Trusted Types without our policy: fails with csp_blocked and names the policy', async () => {
    await open({ csp: `require-trusted-types-for 'script'; trusted-types theirs` });
    const result = await load(page, staging(own('ok')));
    expect(result.code).toBe('csp_blocked');
    expect(result.message).toContain('embedded-sessions');
  });

  it('abort fetches nothing before a load, rejects only its own caller during it, and has no effect after', async () => {
    await open();
    const behavior = own('held');
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
    }, staging(behavior));
    await expect.poll(() => operator.requests(behavior).length).toBe(1);
    operator.release();
    expect(await running).toEqual({
      before: 'aborted',
      tags: 0,
      whileLoading: 'aborted',
      environment: 'staging',
      state: 'ready',
    });
  });

  it('is ready even if the tag is removed while loading or later', { tags: ['thorough'] }, async () => {
    await open();
    const behavior = own('held');
    const options = staging(behavior);
    const loading = load(page, options);
    await expect.poll(() => operator.requests(behavior).length).toBe(1);
    await page.evaluate(() => document.querySelector('script[src*=embedded]')?.remove());
    operator.release();
    expect((await loading).code).toBe('ready');
    expect((await load(page, options)).code).toBe('ready');
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('R-7 a slow script that runs after the timeout opens nothing and still blocks the other environment', async () => {
    await open();
    const behavior = own('held');
    const options = staging(behavior, { timeoutMs: 300 });
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
    expect((await load(page, { ...options, timeoutMs: 20_000 })).code).toBe('ready');
  });

  it('the next call does not wait for a request that hangs', { tags: ['thorough'] }, async () => {
    await open();
    const options = staging(own('hang-then-ok'), { timeoutMs: 400 });
    expect((await load(page, options)).code).toBe('timeout');
    expect((await load(page, { ...options, timeoutMs: 20_000 })).code).toBe('ready');
  });

  it('preload fetches the script once and does not execute it', async () => {
    await open();
    const behavior = own('ok');
    const options = staging(behavior);
    await page.evaluate((options) => {
      const loader = window.L.createLoader(options);
      loader.preload();
      loader.preload();
    }, options);
    await expect.poll(() => operator.requests(behavior).length).toBe(1);
    expect(
      await page.evaluate(() => [
        Object.hasOwn(window, 'Service'),
        document.querySelectorAll('link[rel=prefetch]').length,
      ]),
    ).toEqual([false, 1]);
    expect((await load(page, options)).code).toBe('ready');
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('preload causes no console warning on a page where nobody pays', { tags: ['thorough'] }, async () => {
    const messages: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    await open();
    const behavior = own('ok');
    await page.evaluate((options) => window.L.createLoader(options).preload(), staging(behavior));
    await expect.poll(() => operator.requests(behavior).length).toBe(1);
    // Chromium warns about an unused preload three seconds after the page has loaded.
    await page.waitForTimeout(5_000);
    expect(messages).toEqual([]);
  });

  it('preload after a failure fetches the script that will run', { tags: ['thorough'] }, async () => {
    await open();
    const behavior = own('404-then-ok');
    const options = staging(behavior, { retries: 0 });
    expect((await load(page, options)).code).toBe('network_error');
    await page.evaluate((options) => window.L.createLoader(options).preload(), options);
    await expect.poll(() => operator.requests(behavior).length).toBe(2);
    expect((await load(page, options)).code).toBe('ready');
    expect(operator.requests(behavior)).toHaveLength(2);
  });
});

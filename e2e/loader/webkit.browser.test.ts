// @module-tag thorough
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoaderOptions } from '@embedded-sessions/loader';
import { hasWebKit, launchWebKit, type Origin, type WebKit } from '../harness/index.js';
import { SECRET, startStage, type Stage } from '../sdk/stage.js';
import { startMerchant, startOperator, type Operator } from './faults.js';

let operator: Operator;
let merchant: Origin;
let webkit: WebKit;
let stage: Stage;

describe.skipIf(!hasWebKit)('the fault matrix in WebKitGTK (smoke)', () => {
  beforeAll(async () => {
    operator = await startOperator();
    merchant = await startMerchant();
    stage = await startStage();
    webkit = await launchWebKit();
    await webkit.driver.manage().setTimeouts({ script: 60_000, pageLoad: 60_000 });
  });
  afterAll(async () => {
    await webkit?.close();
    await merchant?.stop();
    await operator?.stop();
    await stage?.stop();
  });

  const visit = async (params: Record<string, string> = {}) => {
    await webkit.driver.get(`${merchant.url}/?${new URLSearchParams(params).toString()}`);
    await webkit.driver.wait(
      () => webkit.driver.executeScript<boolean>('return window.started === true'),
      30_000,
    );
  };
  /** Loads the SDK in the page. Returns the code, the remaining tags and unhandled errors. */
  const load = (options: LoaderOptions) =>
    webkit.driver.executeAsyncScript<{ code: string; tags: number; unhandled: string[] }>(
      `const [options, done] = arguments;
       const unhandled = [];
       addEventListener('unhandledrejection', (event) => unhandled.push(String(event.reason)));
       L.loadService(options).then(() => 'ready', (error) => error.code).then((code) => setTimeout(() => done({
         code, unhandled, tags: document.querySelectorAll('script[src*="embedded.loader"]').length,
       }), 50));`,
      options,
    );

  let row = 0;
  const staging = (behavior: string, more: Partial<LoaderOptions> = {}): LoaderOptions => ({
    environment: 'staging',
    loaderUrl: operator.loaderUrl(`${behavior}~webkit${(row += 1)}`),
    ...more,
  });

  it.each<[string, string, Partial<LoaderOptions>, Record<string, string>, string, number]>([
    ['a script that loads', 'ok', {}, {}, 'ready', 1],
    ['a temporary fault', '404-then-ok', {}, {}, 'ready', 1],
    ['script 404', '404', { retries: 0 }, {}, 'network_error', 0],
    ['script 500', '500', { retries: 0 }, {}, 'network_error', 0],
    ['body cut off', 'cut', { retries: 0 }, {}, 'network_error', 0],
    ['server drips', 'drip', { timeoutMs: 400 }, {}, 'timeout', 0],
    ['CSP nonce', 'ok', {}, { csp: "script-src 'nonce-abc'", nonce: 'abc' }, 'ready', 1],
    ['connection reset', 'reset', { retries: 0 }, {}, 'network_error', 0],
    ['server never responds', 'hang', { timeoutMs: 400 }, {}, 'timeout', 0],
    ['200 without the global', 'missing', {}, {}, 'service_missing', 0],
    ['R-7 the global of the other environment', 'production', {}, {}, 'environment_mismatch', 0],
    ['CSP without the host', 'ok', {}, { csp: "script-src 'self'" }, 'csp_blocked', 0],
    [
      'CSP strict-dynamic',
      'ok',
      {},
      { csp: "script-src 'nonce-abc' 'strict-dynamic'", nonce: 'abc' },
      'ready',
      1,
    ],
    [
      'Trusted Types enforced',
      'ok',
      {},
      { csp: "require-trusted-types-for 'script'; trusted-types embedded-sessions" },
      'ready',
      1,
    ],
  ])('%s', async (_, behavior, more, pageOptions, code, tags) => {
    await visit(pageOptions);
    expect(await load(staging(behavior, more))).toEqual({ code, tags, unhandled: [] });
  });

  it('replaces an existing tag that failed', async () => {
    const options = staging('404-then-ok');
    await visit({ head: `<script src="${options.loaderUrl}"></script>` });
    expect(await load(options)).toEqual({ code: 'ready', tags: 1, unhandled: [] });
  });
  it('R-2 shows a session, also after its frame is moved', async () => {
    const { driver } = webkit;
    const isReady = (times: number) => () =>
      driver.executeScript<boolean>(
        `return events.filter(({ type }) => type === 'ready').length >= ${times}`,
      );
    await driver.get(stage.merchant.url);
    await driver.executeScript(
      `Service.completePayment(arguments[0], { container: document.querySelector('#inline') })`,
      stage.sessionUrl(),
    );
    await driver.wait(isReady(1), 10_000);
    await driver.executeScript(`document.querySelector('main').prepend(document.querySelector('#inline'))`);
    await driver.wait(isReady(2), 10_000);
    await driver.switchTo().frame(await driver.findElement({ css: 'iframe' }));
    expect(await driver.executeScript('return location.hash')).toBe(`#${SECRET}`);
    await driver.switchTo().defaultContent();
  });
});

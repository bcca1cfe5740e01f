import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as LoaderModule from '@embedded-sessions/loader';
import type { EmbeddedService, FlowEvent, ServiceAdapter } from '@embedded-sessions/loader';
import { firstOf, launch, MATRIX_ENGINES, type Origin } from '../harness/index.js';
import { startMerchant, troubleOf, visit, watchTrouble } from './faults.js';

declare const window: Window &
  typeof globalThis & {
    L: typeof LoaderModule;
    service: EmbeddedService;
    seen: string[];
    outcome: unknown;
    controller: AbortController;
    begin(): void;
    tell(type: string, detail?: unknown): void;
    tellBack(name: string, value?: unknown): void;
  };

let merchant: Origin;
beforeAll(async () => {
  merchant = await startMerchant();
  // The hosted page of an operator's session. Below the loader's base URL, so it has the right environment.
  merchant.routes['/s/1'] = '<!doctype html><title>Session</title><button>Pay</button>';
});
afterAll(() => merchant.stop());

/** SDKs as operators might write them, each with a real frame. */
const SDKS = {
  promise: `(url) => {
    const dialog = open(url);
    const result = new Promise((resolve) => { window.end = (value) => { dialog.remove(); resolve(value); }; });
    return Object.assign(result, { close: async () => window.end({ status: 'canceled', by: 'merchant' }) });
  }`,
  events: `(url) => { const dialog = open(url); window.end = (value) => { dialog.remove(); tell(value.status === 'completed' ? 'completed' : 'closed', value); tell('closed', value); }; }`,
  silent: `(url) => { const dialog = open(url); window.end = () => dialog.remove(); }`,
  callbacks: `(url, callbacks) => { const dialog = open(url); window.tellBack = (name, value) => { if (name === 'onClosed') dialog.remove(); callbacks[name](value); }; }`,
  late: `(url) => { setTimeout(() => { const dialog = open(url); window.end = () => dialog.remove(); }, 50); }`,
};

describe.each(MATRIX_ENGINES)('flows in %s', (engine) => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launch(engine);
    page = await browser.newPage();
    await watchTrouble(page);
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    expect(await troubleOf(page)).toEqual({ unhandled: [], consoleErrors: [] });
  });

  /** Loads the SDK. `begin()` opens a session and keeps its events. */
  const open = async (kind: keyof typeof SDKS) => {
    await visit(page, merchant, {
      head: `<body><button id="pay">Pay</button><div id="inline"></div><script>
        const handlers = {};
        const tell = (type, detail) => handlers[type]?.({ type, detail });
        const open = (url) => {
          const dialog = document.createElement('dialog');
          dialog.innerHTML = '<iframe title="Payment"></iframe>';
          document.body.append(dialog);
          dialog.firstChild.src = url;
          dialog.showModal();
          dialog.firstChild.focus();
          return dialog;
        };
        window.tell = tell;
        window.Service = { environment: 'staging', completePayment: ${SDKS[kind]},
          ${kind === 'events' ? 'on: (type, handler) => (handlers[type] = handler, () => delete handlers[type]),' : ''} };
      </script>`,
    });
    await page.evaluate(
      async ({ origin, kind }) => {
        interface CallbackSdk {
          completePayment(url: string, callbacks: Record<string, (value: unknown) => void>): void;
        }
        const adapter: ServiceAdapter = (sdk, { url, emit }) => ({
          done: new Promise((resolve) =>
            (sdk as CallbackSdk).completePayment(url, {
              onPaid: (detail) => emit({ type: 'completed', detail }),
              onClosed: () => resolve({ status: 'unknown' }),
            }),
          ),
        });
        window.service = await window.L.loadService({
          environment: 'staging',
          loaderUrl: `${origin}/app/embedded.loader.js`,
          ...(kind === 'callbacks' && { adapter }),
        });
        window.seen = [];
        window.begin = () => {
          document.getElementById('pay')?.focus();
          window.controller = new AbortController();
          void window.service
            .completePayment(`${origin}/s/1#secret`, {
              signal: window.controller.signal,
              onEvent: (event: FlowEvent) => void window.seen.push(event.type),
            })
            .then((result) => (window.outcome = result));
        };
        window.begin();
      },
      { origin: merchant.url, kind },
    );
    await page.waitForFunction(() =>
      document.querySelector('iframe')?.contentDocument?.querySelector('button'),
    );
  };
  const end = (value: unknown) =>
    page.evaluate((value) => (window as unknown as { end(value: unknown): void }).end(value), value);
  const outcome = async () => {
    await page.waitForFunction(() => window.outcome);
    return page.evaluate(() => window.outcome);
  };
  const seen = () => page.evaluate(() => window.seen);
  /** Opens another session with the SDK's own method. Returns the code and message of the refusal. */
  const refusal = (method = 'Service.completePayment', container = 'undefined') =>
    page.evaluate<{ code?: string; message?: string }>(`(async () => {
      const url = '${merchant.url}/s/1#secret';
      Service.completePayment = ${method};
      return service.completePayment(url, { container: ${container} }).then(() => ({}), ({ code, message }) => ({ code, message }));
    })()`);

  it.each(
    firstOf<[keyof typeof SDKS, unknown, unknown]>(4, [
      ['promise', { status: 'completed', detail: 1 }, { status: 'completed', detail: 1 }],
      ['promise', 'paid', { status: 'unknown' }],
      ['events', { status: 'canceled', by: 'payer' }, { status: 'canceled', by: 'payer' }],
      ['silent', undefined, { status: 'unknown' }],
      ['late', undefined, { status: 'unknown' }],
      ['promise', { status: 'canceled', by: 'payer' }, { status: 'canceled', by: 'payer' }],
      ['promise', { status: 'expired' }, { status: 'expired' }],
      ['events', { status: 'completed' }, { status: 'completed', detail: { status: 'completed' } }],
    ]),
  )('an SDK of the kind %s that ends with %j: %j, and the focus is back', async (kind, value, expected) => {
    await open(kind);
    await end(value);
    expect(await outcome()).toEqual(expected);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
    const types = await seen();
    expect([types[0], types.at(-1)]).toEqual(['opened', 'closed']);
  });

  it('an SDK that takes callbacks, through an adapter', { tags: 'thorough' }, async () => {
    await open('callbacks');
    await page.evaluate(() => window.tellBack('onPaid', { receipt: 7 }));
    await page.waitForFunction(() => window.seen.includes('completed'));
    expect(await page.evaluate(() => window.outcome)).toBeUndefined();
    await page.evaluate(() => window.tellBack('onClosed'));
    expect(await outcome()).toEqual({ status: 'completed', detail: { receipt: 7 } });
  });

  it('abort closes what is open', async () => {
    await open('promise');
    await page.evaluate(() => window.controller.abort());
    expect(await outcome()).toEqual({ status: 'canceled', by: 'merchant' });
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('abort during a payment gives unknown, never canceled, and blocks a second modal until the payment has ended', async () => {
    await open('events');
    await page.evaluate(() => window.tell('processing'));
    await page.evaluate(() => window.controller.abort());
    expect(await outcome()).toEqual({ status: 'unknown' });
    expect(await refusal()).toMatchObject({ code: 'flow_in_progress' });
    await end({ status: 'canceled', by: 'payer' });
    await page.evaluate(() => window.begin());
    await page.waitForFunction(() => document.querySelector('iframe'));
  });

  it('refuses a second modal with flow_in_progress, and the first continues', async () => {
    await open('promise');
    expect(await refusal()).toMatchObject({ code: 'flow_in_progress' });
    expect(await page.locator('iframe').count()).toBe(1);
    await end({ status: 'completed', detail: 1 });
    expect(await outcome()).toEqual({ status: 'completed', detail: 1 });
  });

  it.each(
    firstOf(3, [
      ['throws', `() => { throw new Error('cannot open ' + url); }`],
      ['rejects', `() => Promise.reject(new Error('cannot open ' + url))`],
      ['lacks the method', `undefined`],
      ['rejects with no text', `() => Promise.reject(Object.create(null))`],
    ]),
  )("an SDK that %s fails with flow_failed and reveals only the session's origin", async (_, method) => {
    await open('promise');
    await end({ status: 'expired' });
    await outcome();
    const { code, message } = await refusal(method);
    expect(code).toBe('flow_failed');
    expect(message).not.toMatch(/secret|s\/1/);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it.each(firstOf(1, ['null', `'#inline'`]))(
    'refuses the container %s with invalid_options and opens no modal',
    async (container) => {
      await open('promise');
      await end({ status: 'expired' });
      await outcome();
      expect(await refusal('Service.completePayment', container)).toMatchObject({ code: 'invalid_options' });
      expect(await page.locator('iframe').count()).toBe(0);
    },
  );

  it(
    'resolves with unknown if the container is removed while the SDK is waiting',
    { tags: 'thorough' },
    async () => {
      await open('promise');
      await end({ status: 'expired' });
      await outcome();
      const result = page.evaluate((url) => {
        const container = document.getElementById('inline')!;
        Object.assign(window, {
          Service: Object.assign((window as unknown as { Service: object }).Service, {
            completePayment: (url: string) => {
              container.innerHTML = '<iframe title="Payment"></iframe>';
              container.querySelector('iframe')!.src = url;
              return new Promise(() => {});
            },
          }),
        });
        const result = window.service.completePayment(url, { container });
        setTimeout(() => container.remove(), 50);
        return result;
      }, `${merchant.url}/s/1#secret`);
      expect(await result).toEqual({ status: 'unknown' });
    },
  );

  it('settles if the merchant removes the frame while the SDK is waiting', { tags: 'thorough' }, async () => {
    await open('promise');
    await page.evaluate(() => document.querySelector('dialog')?.remove());
    expect(await outcome()).toEqual({ status: 'unknown' });
  });

  it('ignores messages forged by the page and by another frame', async () => {
    await open('promise');
    await page.evaluate(() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      for (const data of [
        { type: 'completed', sessionId: '1', detail: {} },
        { type: 'close-request', reason: 'done' },
        { type: 'expired' },
      ]) {
        window.postMessage(data, '*');
        frame.contentWindow?.parent.postMessage(data, '*');
        (frame.contentWindow as typeof window | null)?.eval(
          `parent.postMessage(${JSON.stringify(data)}, '*')`,
        );
      }
      frame.remove();
    });
    // Checked after all messages have arrived: the loader must not have reacted to any.
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener('message', ({ data }) => data === 'last' && resolve(0));
          window.postMessage('last', '*');
        }),
    );
    expect(await refusal()).toMatchObject({ code: 'flow_in_progress' });
    expect(await page.evaluate(() => window.outcome)).toBeUndefined();
    await end({ status: 'expired' });
    expect(await outcome()).toEqual({ status: 'expired' });
  });

  it(
    'settles an open flow after a restore from the back-forward cache, and another can open',
    { tags: 'thorough' },
    async () => {
      const whole = await launch(engine, {
        needsWindow: true,
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
      onTestFinished(() => whole.close());
      page = await whole.newPage();
      await watchTrouble(page);
      await open('silent');
      if (engine === 'chromium') {
        await page.evaluate(() =>
          addEventListener('pageshow', (event) => Object.assign(window, { restored: event.persisted })),
        );
        await page.goto(`${merchant.url}/away`);
        await page.goBack({ waitUntil: 'commit' });
        await page.waitForFunction(() => 'restored' in window);
        const restored = await page.evaluate(() => (window as { restored?: boolean }).restored);
        expect(restored, 'the browser kept the page').toBe(true);
      } else {
        // Playwright loses a Firefox page that is restored from the back/forward cache, so dispatch the event instead.
        await page.evaluate(
          () => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
        );
      }
      expect(await outcome()).toEqual({ status: 'unknown' });
      expect(await refusal()).toMatchObject({ code: 'flow_in_progress' });
      await end(undefined);
      await page.evaluate(() => window.begin());
      await page.waitForFunction(() => document.querySelector('iframe'));
      expect((await seen()).filter((type) => type === 'opened')).toHaveLength(2);
    },
  );
});

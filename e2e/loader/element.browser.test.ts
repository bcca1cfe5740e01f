/** Tests `<embedded-flow>` on a page without a framework, with the real service and the helper for merchants' tests. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedFlowElement } from '@embedded-sessions/loader/element';
import { payWithTestCard } from '@embedded-sessions/loader/playwright';
import {
  firstOf,
  holdResponses,
  CARD_DECLINED,
  MATRIX_ENGINES,
  launch,
  startOrigin,
  startService,
  type Origin,
  type Service,
} from '../harness/index.js';

declare const window: Window &
  typeof globalThis & {
    reported: [type: string, detail: { status?: string; code?: string }][];
    Service: { on: (type: string, listener: () => void) => void };
  };

let merchant: Origin;
let staging: Service;
beforeAll(async () => {
  merchant = await startOrigin({ host: 'localhost', folders: { '/loader/': 'packages/loader/dist' } });
  staging = await startService({ allowedOrigins: [merchant.url] });
  merchant.routes['/'] = `<!doctype html><html lang="en"><title>Bill</title><h1>Bill</h1>
    <embedded-flow flow="payment" locale="en"></embedded-flow><button id="modal">Pay in a modal</button>
    <script type="module">
      import { createLoader } from '/loader/index.js';
      import { defineEmbeddedFlow } from '/loader/element.js';
      const loader = createLoader({ environment: 'staging', loaderUrl: '${staging.loaderUrl}' });
      window.reported = [];
      const element = document.querySelector('embedded-flow');
      // Before the element is defined, as frameworks may do.
      if (location.hash) element.session = decodeURIComponent(location.hash.slice(1));
      for (const type of ['settled', 'error'])
        element.addEventListener(type, ({ detail }) => reported.push([type, { status: detail.status, code: detail.code }]));
      document.querySelector('#modal').onclick = async () =>
        reported.push(['modal', await (await loader.load()).completePayment(window.sessionUrl)]);
      defineEmbeddedFlow(loader);
      window.ready = true;
    </script></html>`;
});
afterAll(() => Promise.all([merchant.stop(), staging.stop()]));

const sessionUrl = async () => (await staging.create('payment', { Charges: [{ Amount: 1234 }] })).sessionUrl;

describe.each(MATRIX_ENGINES)('embedded-flow in %s', (engine) => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launch(engine);
    page = await browser.newPage();
  });
  afterAll(() => browser?.close());

  const visit = async (hash = '') => {
    await page.goto('about:blank');
    await page.goto(`${merchant.url}/${hash && `#${encodeURIComponent(hash)}`}`);
    await page.waitForFunction(() => Object.hasOwn(window, 'ready'));
  };
  const reported = async () => {
    await page.waitForFunction(() => window.reported.length);
    return page.evaluate(() => window.reported.map(([type, { status, code }]) => [type, status ?? code]));
  };

  it.each(firstOf(1, ['property', 'attribute', 'property before it is defined']))(
    'pays inline with the session from a %s, and removes it from attributes',
    async (by) => {
      const url = await sessionUrl();
      await visit(by === 'property before it is defined' ? url : '');
      if (by === 'property')
        await page.evaluate(
          (url) => Object.assign(document.querySelector('embedded-flow')!, { session: url }),
          url,
        );
      if (by === 'attribute')
        await page.evaluate(
          (url) => document.querySelector('embedded-flow')!.setAttribute('session', url),
          url,
        );
      expect(await payWithTestCard(page, { number: CARD_DECLINED })).toBe('declined');
      expect(await page.evaluate(() => window.reported)).toEqual([]);
      expect(await payWithTestCard(page)).toBe('paid');
      expect(await reported()).toEqual([['settled', 'completed']]);
      expect(await page.evaluate(() => document.querySelector('embedded-flow')!.outerHTML)).not.toContain(
        new URL(url).hash.slice(1),
      );
    },
  );

  it('closes when it is removed, and reports an unknown flow', { tags: ['thorough'] }, async () => {
    await visit();
    const url = await sessionUrl();
    await page.evaluate((url) => {
      const element = document.querySelector('embedded-flow')!;
      Object.assign(element, { session: url });
    }, url);
    await page.waitForSelector('embedded-flow iframe');
    await page.evaluate(() => document.querySelector('embedded-flow')!.remove());
    await page.waitForFunction(() => !document.querySelector('iframe'));
    await page.evaluate((url) => {
      const element = document.createElement('embedded-flow');
      Object.assign(element, { flow: 'paymnet', session: url });
      element.addEventListener('error', (event) =>
        window.reported.push(['error', (event as unknown as CustomEvent<{ code: string }>).detail]),
      );
      document.body.append(element);
    }, url);
    expect(await reported()).toEqual([['error', 'invalid_options']]);
  });

  it.each([
    ['nothing before Pay', 'ready', []],
    ['a payment in flight', 'processing', ['unknown']],
  ])('R-60 reports %s when it is removed', { tags: ['thorough'] }, async (_, state, statuses) => {
    const release = await holdResponses(page, '**/api/pay');
    await visit(await sessionUrl());
    await page.frameLocator('embedded-flow iframe').getByLabel('Card number').waitFor();
    await page.evaluate(() => {
      for (const type of ['processing', 'closed'] as const)
        window.Service.on(type, () => (document.body.dataset['state'] = type));
    });
    // Ends when the page leaves.
    if (state === 'processing') {
      void payWithTestCard(page).catch(() => undefined);
      await page.waitForSelector('[data-state=processing]');
    }
    await page.evaluate(() => document.querySelector('embedded-flow')!.remove());
    await page.waitForSelector('[data-state=closed]');
    // The promise settles after the event.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(await page.evaluate(() => window.reported.map(([, { status }]) => status))).toEqual(statuses);
    release();
    await page.unroute('**/api/pay');
  });

  it('keeps typed input when a framework sets the same session again', { tags: 'thorough' }, async () => {
    await visit();
    const url = await sessionUrl();
    const give = () =>
      page.evaluate((sessionUrl) => {
        const session = { sessionUrl, environment: 'staging' as const };
        const element: EmbeddedFlowElement = document.querySelector('embedded-flow')!;
        element.session = session;
        // The property returns the same value, because frameworks compare it.
        return element.session === session;
      }, url);
    expect(await give()).toBe(true);
    const number = page.frameLocator('embedded-flow iframe').getByLabel('Card number');
    await number.fill('4242');
    expect(await give()).toBe(true);
    // Runs one task after the element's own.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await page.evaluate((url) => (document.querySelector('embedded-flow')!.session = url), url);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await number.inputValue()).toBe('4242');
  });

  it('R-52 opens a failed flow again when its session is set again', { tags: ['thorough'] }, async () => {
    await visit();
    const url = await sessionUrl();
    const give = (session: string) =>
      page.evaluate((url) => void (document.querySelector('embedded-flow')!.session = url), session);
    await page.route('**/app/embedded.loader.js*', (route) => route.abort());
    await give(url);
    expect(await reported()).toEqual([['error', 'network_error']]);
    await page.unrouteAll();
    await give(url);
    await page.frameLocator('embedded-flow iframe').getByLabel('Card number').waitFor();
  });

  it('R-53 opens a session that follows one that cannot be read', { tags: 'thorough' }, async () => {
    await visit();
    await page.evaluate(() => {
      const { proxy, revoke } = Proxy.revocable({ sessionUrl: '' }, {});
      revoke();
      document.querySelector('embedded-flow')!.session = proxy;
    });
    expect((await reported()).map(([type]) => type)).toEqual(['error']);
    const url = await sessionUrl();
    await page.evaluate((url) => void (document.querySelector('embedded-flow')!.session = url), url);
    await page.frameLocator('embedded-flow iframe').getByLabel('Card number').waitFor();
  });

  it('replaces the frame when another session is set', { tags: 'thorough' }, async () => {
    await visit();
    const [first, second] = [await sessionUrl(), await sessionUrl()];
    for (const url of [first, second]) {
      await page.evaluate((url) => void (document.querySelector('embedded-flow')!.session = url), url);
      await page.frameLocator('embedded-flow iframe').getByLabel('Card number').waitFor();
    }
    await page.waitForFunction(() => document.querySelectorAll('iframe').length === 1);
    expect(await payWithTestCard(page)).toBe('paid');
    expect(await reported()).toEqual([['settled', 'completed']]);
    expect(await staging.control.state()).toMatchObject({
      sessions: expect.arrayContaining([
        expect.objectContaining({ id: new URL(second).pathname.split('/').pop(), status: 'Succeeded' }),
      ]) as unknown,
    });
  });

  it('payWithTestCard pays in a modal, and the page receives the result', { tags: 'thorough' }, async () => {
    await visit();
    await page.evaluate((url) => Object.assign(window, { sessionUrl: url }), await sessionUrl());
    await page.getByRole('button', { name: 'Pay in a modal' }).click();
    expect(await payWithTestCard(page)).toBe('paid');
    expect(await reported()).toEqual([['modal', 'completed']]);
  });
});

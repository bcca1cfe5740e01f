/** Conditions on phones: a WebView, an on-screen keyboard, a frozen or discarded tab, no network. */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payWithTestCard } from '@embedded-sessions/loader/playwright';
import {
  fillCard,
  launch,
  pressIn,
  pressPay,
  sessionFrame,
  startOrigin,
  startService,
  type Origin,
  type Service,
} from '../harness/index.js';

const docs = readFileSync(new URL('../../docs/start/webview.md', import.meta.url), 'utf8');
const [, recipe = ''] = /```html\n([^]*?)```/.exec(docs) ?? [];

let browser: Browser;
let merchant: Origin;
let service: Service;
let context: BrowserContext;
let page: Page;
let frame: FrameLocator;

beforeAll(async () => {
  [browser, merchant] = await Promise.all([
    launch('chromium'),
    startOrigin({ host: 'localhost', folders: { '/vendor/': 'packages/loader/dist' } }),
  ]);
  service = await startService({ allowedOrigins: [merchant.url] });
  merchant.routes['/'] =
    `<!doctype html><html lang="en"><title>Pay your bill</title><link rel="icon" href="data:,">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${recipe.replace('https://staging.pay.example/app/embedded.loader.js', service.loaderUrl)}</html>`;
  merchant.routes['/pay'] = async (_, response) => {
    const { sessionUrl } = await service.create('payment');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ sessionUrl, environment: 'staging' }));
  };
  merchant.routes['/app/settled'] = '<title>Intercepted by the app</title>';
});
afterAll(() => Promise.all([browser.close(), merchant.stop(), service.stop()]));
beforeEach(async () => {
  context = await browser.newContext({
    viewport: { width: 375, height: 667 },
    hasTouch: true,
    isMobile: true,
  });
  page = await context.newPage();
  frame = sessionFrame(page);
});
afterEach(() => context.close());

const open = async (): Promise<void> => {
  await page.goto(merchant.url);
  await page.getByRole('button', { name: 'Pay my bill' }).tap();
  await frame.getByLabel('Card number').waitFor();
};
const settled = (status: string): Promise<void> =>
  page.waitForURL(`${merchant.url}/app/settled?status=${status}`);
const payments = async (): Promise<number> =>
  (await service.control.state()).payments.filter(({ status }) => status === 'succeeded').length;

describe('R-1 the WebView page in the docs', () => {
  it('pays, and navigates to the address that the app intercepts', { tags: ['thorough'] }, async () => {
    await open();
    expect(await payWithTestCard(page)).toBe('paid');
    await settled('completed');
  });

  it('reports that the payer left', { tags: 'thorough' }, async () => {
    await open();
    await page.getByRole('button', { name: 'Close' }).tap();
    await settled('canceled');
  });

  it('pays without DOM storage', { tags: 'thorough' }, async () => {
    await context.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('The operation is insecure.', 'SecurityError');
          },
        });
    });
    await open();
    expect(await payWithTestCard(page)).toBe('paid');
    await settled('completed');
  });
});

it(
  'keeps the focused field in view when the keyboard covers half of the screen',
  { tags: 'thorough' },
  async () => {
    await open();
    for (const label of ['Card number', 'Security code', 'ZIP code']) {
      await page.setViewportSize({ width: 375, height: 667 });
      const field = frame.getByLabel(label);
      await field.focus();
      // Phones resize the page for their keyboard, and scroll to the field.
      await page.setViewportSize({ width: 375, height: 320 });
      await field.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
      await expect
        .poll(() =>
          field.evaluate((element) => {
            const { left, top, width, height } = element.getBoundingClientRect();
            const shown = document.elementFromPoint(left + width / 2, top + height / 2);
            return top >= 0 && top + height <= innerHeight && (shown === element || element.contains(shown));
          }),
        )
        .toBe(true);
    }
  },
);

it('R-60 reports a payment that succeeds while the tab is frozen', { tags: ['thorough'] }, async () => {
  const before = await payments();
  await open();
  await fillCard(frame);
  await service.control.fault({ kind: 'latency', ms: 1_500, times: 1, path: '/s/*/api/pay' });
  await pressPay(frame);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await expect.poll(payments).toBe(before + 1);
  await devtools.send('Page.setWebLifecycleState', { state: 'active' });
  await pressIn(frame, 'Done');
  await settled('completed');
});

it('R-60 does not pay a session again when its discarded tab is reloaded', { tags: 'thorough' }, async () => {
  const before = await payments();
  await open();
  const { sessions } = await service.control.state();
  await fillCard(frame);
  await service.control.fault({ kind: 'latency', ms: 1_500, times: 1, path: '/s/*/api/pay' });
  await pressPay(frame);
  await frame.getByText('Processing').first().waitFor();
  await page.reload();
  await expect.poll(payments).toBe(before + 1);
  const { sessions: after } = await service.control.state();
  expect(after).toHaveLength(sessions.length);
  expect(after.at(-1)).toMatchObject({ status: 'Succeeded' });
});

it('R-60 pays once after the network was lost with the modal open', { tags: 'thorough' }, async () => {
  const before = await payments();
  await open();
  await fillCard(frame);
  await context.setOffline(true);
  await pressPay(frame);
  await frame.getByText('still can’t connect').waitFor();
  await context.setOffline(false);
  await frame.getByRole('alert').filter({ hasText: 'didn’t reach us' }).waitFor();
  await pressPay(frame);
  await pressIn(frame, 'Done');
  await settled('completed');
  expect(await payments()).toBe(before + 1);
});

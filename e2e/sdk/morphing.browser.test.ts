/** Libraries that replace or morph the page while the payer types: the modal, its frame and what was typed stay. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launch, MATRIX_ENGINES, sessionFrame } from '../harness/index.js';
import { startStage, type Stage } from './stage.js';

const LOADER = new URL('../../packages/loader/dist/embedded-sessions.iife.js', import.meta.url);
const require = createRequire(import.meta.url);
const type = 'text/javascript';

let stage: Stage;
let visits = 0;

beforeAll(async () => {
  stage = await startStage();
  const { routes } = stage.merchant;
  routes['/loader.js'] = { body: readFileSync(LOADER, 'utf8'), type };
  routes['/turbo.js'] = {
    body: readFileSync(require.resolve('@hotwired/turbo/dist/turbo.es2017-umd.js'), 'utf8'),
    type,
  };
  routes['/htmx.js'] = { body: readFileSync(require.resolve('htmx.org/dist/htmx.min.js'), 'utf8'), type };
  routes['/idiomorph.js'] = {
    body: readFileSync(require.resolve('idiomorph/dist/idiomorph.min.js'), 'utf8'),
    type,
  };
  routes['/bill'] = (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><html lang="en"><head>
      <title>Pay your bill</title><link rel="icon" href="data:,">
      <meta name="turbo-refresh-method" content="morph"><meta name="turbo-refresh-scroll" content="preserve">
      <script src="/turbo.js"></script><script src="/htmx.js"></script><script src="/idiomorph.js"></script>
      <script src="/loader.js" data-environment="staging" data-loader-url="${stage.service.url}/app/embedded.loader.js"></script>
      <script>
        window.pay = async () => {
          window.result = await EmbeddedSessions.completePayment('${stage.sessionUrl()}');
        };
      </script></head>
      <body><main id="main"><h1>Visit ${++visits}</h1><button id="pay" onclick="pay()">Pay now</button></main></body></html>`);
});
afterAll(() => stage.stop());

/** Each fetches the page again. */
const WAYS: [string, string][] = [
  ['a Turbo refresh that morphs', `Turbo.session.refresh(location.href)`],
  ['a Turbo visit that replaces the body', `Turbo.visit('/bill?other')`],
  ['htmx morphing the body', `htmx.ajax('GET', '/bill', { target: 'body', swap: 'innerMorph' })`],
  ['htmx replacing the body', `htmx.ajax('GET', '/bill', { target: 'body', swap: 'innerHTML' })`],
  [
    'idiomorph of the body',
    `fetch('/bill').then((page) => page.text()).then((html) =>
      Idiomorph.morph(document.body, new DOMParser().parseFromString(html, 'text/html').body.innerHTML, { morphStyle: 'innerHTML' }))`,
  ],
  [
    'a view transition',
    `fetch('/bill').then((page) => page.text()).then(async (html) => {
      const swap = () => document.body.replaceWith(new DOMParser().parseFromString(html, 'text/html').body);
      await (document.startViewTransition?.(swap).finished ?? swap());
    })`,
  ],
];

describe.each(MATRIX_ENGINES)('the modal in %s stays open and keeps what was typed', (engine) => {
  let browser: Browser;
  let page: Page;
  let frame: FrameLocator;

  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage();
    frame = sessionFrame(page);
  });
  afterEach(() => page.close());

  it.each(WAYS)('during %s', async (_, script) => {
    await page.goto(`${stage.merchant.url}/bill`);
    await page.getByRole('button', { name: 'Pay now' }).click();
    const card = frame.getByLabel('Card number');
    await card.click();
    await page.keyboard.type('42');

    const before = visits;
    await page.evaluate(script);
    await expect.poll(() => page.locator('h1').first().textContent()).not.toBe(`Visit ${before}`);
    await page.keyboard.type('42');
    expect(await card.inputValue()).toBe('4242');

    await frame.getByRole('button', { name: 'Succeed' }).click();
    await frame.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.evaluate('window.result?.status')).toBe('completed');
    expect(await page.locator('dialog').count()).toBe(0);
  });
});

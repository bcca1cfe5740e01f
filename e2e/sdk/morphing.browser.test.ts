/** Libraries that replace or morph the page while the payer types. The modal, its frame and typed text must stay. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstOf, launch, MATRIX_ENGINES } from '../harness/index.js';
import { eachPage, startStage, type Stage } from './stage.js';

const require = createRequire(import.meta.url);
const type = 'text/javascript';

let stage: Stage;
let visits = 0;

beforeAll(async () => {
  stage = await startStage();
  const { routes } = stage.merchant;
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
      ${stage.loaderTag}
      <script>
        window.pay = async () => {
          window.result = await EmbeddedSessions.completePayment('${stage.sessionUrl()}');
        };
      </script></head>
      <body><main id="main"><h1>Visit ${++visits}</h1><button id="pay" onclick="pay()">Pay now</button>
        <button data-embedded-payment="/missing">Pay later</button></main></body></html>`);
});
afterAll(() => stage.stop());

/** Each of them fetches the page again. */
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

describe.each(MATRIX_ENGINES)('the modal in %s stays open and keeps typed text', (engine) => {
  let page: Page;
  let frame: FrameLocator;
  eachPage(engine, (...next) => ([page, frame] = next));

  it.each(firstOf(1, WAYS))('during %s', { tags: ['thorough'] }, async (_, script) => {
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

it(
  'a button of the script tag has no error when Turbo shows its page again after Back',
  { tags: ['thorough'] },
  async () => {
    const browser = await launch(MATRIX_ENGINES[0]!);
    const page = await browser.newPage();
    await page.goto(`${stage.merchant.url}/bill`);
    await page.getByRole('button', { name: 'Pay later' }).click();
    const error = page.getByText('This could not be opened.');
    await error.waitFor();
    const before = visits;
    await page.evaluate(`Turbo.visit('/bill?other')`);
    await expect.poll(() => page.locator('h1').textContent()).not.toBe(`Visit ${before}`);
    await page.goBack();
    await expect.poll(() => page.locator('h1').textContent()).toBe(`Visit ${before}`);
    expect(await error.count()).toBe(0);
    await browser.close();
  },
);

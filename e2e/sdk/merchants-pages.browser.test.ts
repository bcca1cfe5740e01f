/** Loader and SDK on realistic merchant pages: replaced globals, global styles, other dialogs, any layout. */
import type { FrameLocator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstOf, MATRIX_ENGINES } from '../harness/index.js';
import { eachPage, library, payPage, resultOn, startStage, type Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

describe.each(MATRIX_ENGINES)("merchants' pages in %s", (engine) => {
  let page: Page;
  let frame: FrameLocator;
  eachPage(engine, (...next) => ([page, frame] = next));

  const visit = async (script: string, body = '', mode = 'plain'): Promise<void> => {
    stage.merchant.routes['/page'] = payPage(stage, script, body, mode);
    await page.goto(`${stage.merchant.url}/page`);
  };
  const result = () => resultOn(page);
  const press = (name: string): Promise<void> => frame.getByRole('button', { name, exact: true }).click();
  const pay = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Pay now' }).click();
    await press('Succeed');
    await press('Done');
  };

  it.each<[string, string]>(
    firstOf(1, [
      [
        'Prototype.js: remove() throws for detached elements, arrays have toJSON',
        `Element.prototype.remove = function () { this.parentNode.removeChild(this); return this; };
       Array.prototype.toJSON = function () { return '[' + this.join() + ']'; };
       String.prototype.toJSON = function () { return '"' + this + '"'; };`,
      ],
      ['var origin', `var origin = 'Portland';`],
      ['var performance', `var performance = 'excellent';`],
      ['Bluebird as its Promise', library('bluebird/js/browser/bluebird.min.js')],
      ['Zone.js', library('zone.js')],
      ['core-js', library('core-js-bundle/minified.js')],
      ['MooTools, without its part for elements', library('mootools/lib/mootools-core-1.5.2-server.js')],
    ]),
  )('a payment is reported and its modal closes on a page with %s', async (_, script) => {
    await visit(script);
    await pay();
    await page.getByText('completed 1234').waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
  });

  it('the modal keeps its style while the page replaces all style sheets', { tags: 'thorough' }, async () => {
    await visit('');
    await page.getByRole('button', { name: 'Pay now' }).click();
    await frame.getByLabel('Card number').waitFor();
    await page.evaluate(() => {
      document.adoptedStyleSheets = [];
    });
    const radius = () => page.locator('dialog').evaluate((each) => getComputedStyle(each).borderRadius);
    await expect.poll(radius).toBe('12px');
    await press('Cancel');
    expect(await result()).toEqual({ status: 'canceled', by: 'payer' });
    expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0);
  });

  it("the frame ignores the page's styles for iframes", { tags: 'thorough' }, async () => {
    await visit(
      '',
      `<style>iframe{position:absolute!important;inset:0!important;width:1px!important;aspect-ratio:16/9!important;
        opacity:0!important;transform:scale(.1)!important;pointer-events:none!important;clip-path:circle(0)!important}</style>`,
    );
    await page.getByRole('button', { name: 'Pay now' }).click();
    await frame.getByLabel('Card number').fill('4242');
    const style = await page.locator('dialog iframe').evaluate((each) => {
      const { position, opacity, transform, pointerEvents, clipPath } = getComputedStyle(each);
      return {
        position,
        opacity,
        transform,
        pointerEvents,
        clipPath,
        width: (each as HTMLElement).offsetWidth,
      };
    });
    expect(style).toEqual({
      position: 'static',
      opacity: '1',
      transform: 'none',
      pointerEvents: 'auto',
      clipPath: 'none',
      width: 480,
    });
  });

  it('R-60 a payment after "Try again" is reported', { tags: ['thorough'] }, async () => {
    await page.clock.install();
    await visit('', '', 'late');
    await page.getByRole('button', { name: 'Pay now' }).click();
    await page.getByText('Loading…').waitFor();
    await page.clock.fastForward(10_001);
    await page.getByRole('button', { name: 'Try again' }).click();
    await frame.getByLabel('Card number').waitFor();
    await page.clock.resume();
    expect(await page.evaluate(() => 'result' in globalThis)).toBe(false);
    await press('Succeed');
    await press('Done');
    expect(await result()).toMatchObject({ status: 'completed' });
  });

  it(
    'a frame that never responds fails as unreachable, and leaves no payment form',
    { tags: ['thorough'] },
    async () => {
      await page.clock.install();
      await visit('', '', 'silent');
      await page.getByRole('button', { name: 'Pay now' }).click();
      await page.getByText('Loading…').waitFor();
      await page.clock.fastForward(10_001);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await page.evaluate(() => 'result' in globalThis)).toBe(false);
      await page.clock.fastForward(15_001);
      expect(await result()).toMatchObject({
        code: 'flow_failed',
        details: { reason: 'frame_unreachable' },
        message: expect.stringContaining('allowedOrigins') as string,
      });
      expect(await page.locator('iframe').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.clock.resume();
      // The message keeps its space without the frame.
      expect((await page.locator('dialog').boundingBox())!.height).toBeGreaterThan(200);
      await page.getByRole('button', { name: 'Close' }).click();
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
    },
  );

  it.each(
    firstOf<[string, (route: Route) => Promise<void>]>(1, [
      ['refused by the network', (route) => route.abort('connectionrefused')],
      ['blocked by an extension', (route) => route.abort('blockedbyclient')],
      ['refused by a proxy with 403', (route) => route.fulfill({ status: 403, body: 'Forbidden' })],
      ['22 s late', async () => {}],
    ]),
  )('R-60 a frame that is %s fails as unreachable, and payment is no longer possible', async (_, answer) => {
    await page.clock.install();
    await page.route('**/s/stg_plain*', answer);
    await visit('');
    await page.getByRole('button', { name: 'Pay now' }).click();
    await page.getByText('Loading…').waitFor();
    await page.clock.fastForward(10_001);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.clock.fastForward(15_001);
    expect(await result()).toMatchObject({
      code: 'flow_failed',
      details: { reason: 'frame_unreachable' },
    });
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it("the merchant's own dialog receives no events from ours", async () => {
    await visit(
      '',
      `<script>
        window.seen = [];
        for (const type of ['pointerdown', 'mousedown', 'click', 'keydown', 'focusin'])
          document.addEventListener(type, (event) => seen.push(type), true);
      </script>`,
    );
    await page.getByRole('button', { name: 'Pay now' }).click();
    await frame.getByLabel('Card number').waitFor();
    await page.evaluate(() => {
      (globalThis as unknown as { seen: string[] }).seen = [];
    });
    await page.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Shift');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await result()).toEqual({ status: 'canceled', by: 'payer' });
    // The page may move the returned focus itself.
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    expect(seen.filter((type) => type !== 'focusin')).toEqual([]);
  });

  it(
    'returns the focus to a button that was disabled when the modal opened',
    { tags: 'thorough' },
    async () => {
      await visit(
        '',
        `<script>
        const button = document.querySelector('#pay');
        button.addEventListener('click', () => (button.disabled = true));
        setInterval(() => { if ('result' in window) button.disabled = false; }, 20);
      </script>`,
      );
      await page.getByRole('button', { name: 'Pay now' }).click();
      await press('Cancel');
      await result();
      await page.waitForFunction(() => document.activeElement?.id === 'pay');
    },
  );

  it.each([
    ['a flex row', 'display:flex', 'white-space:nowrap'],
    ['a table row', 'display:table', 'display:table-cell'],
    ['a grid column of minimal width', 'display:grid;grid-template-columns:1fr min-content', ''],
  ])(
    'an inline flow next to long text stays wide enough for a form in %s',
    { tags: 'thorough' },
    async (_, outer, text) => {
      const words = 'Your water bill for the last two months. '.repeat(30);
      await visit('', `<div style="${outer}"><p style="${text}">${words}</p><div id="inline"></div></div>`);
      await page.evaluate((url) => {
        void EmbeddedSessions.completePayment(url, { container: document.querySelector('#inline')! });
      }, stage.sessionUrl());
      const inline = page.locator('#inline iframe');
      await inline.waitFor();
      expect(await inline.evaluate((each: HTMLElement) => each.offsetWidth)).toBeGreaterThanOrEqual(280);
    },
  );

  it.each([
    ['a flex row', 'display:flex', ''],
    ['a centered grid', 'display:grid;place-items:center', ''],
    ['a float', '', 'float:left'],
    ['a table cell', 'display:table', 'display:table-cell'],
  ])(
    'an inline flow is wider than a default frame in %s, and fits a narrow one',
    { tags: 'thorough' },
    async (_, outer, inner) => {
      await visit('', `<div id="outer" style="${outer}"><div id="inline" style="${inner}"></div></div>`);
      await page.evaluate((url) => {
        void EmbeddedSessions.completePayment(url, { container: document.querySelector('#inline')! });
      }, stage.sessionUrl());
      const width = () => page.locator('#inline iframe').evaluate((each: HTMLElement) => each.offsetWidth);
      await page.locator('#inline iframe').waitFor();
      expect(await width()).toBe(640);
      await page.locator('#outer').evaluate((each: HTMLElement) => (each.style.width = '280px'));
      // The outline of the focus is outside of the container, on each side.
      expect(await width()).toBe(280 + 2 * 5);
      await page.locator('#outer').evaluate((each: HTMLElement) => (each.style.width = '900px'));
      await page.locator('#inline').evaluate((each: HTMLElement) => (each.style.width = '100%'));
      expect(await width()).toBe(900 + 2 * 5);
    },
  );
});

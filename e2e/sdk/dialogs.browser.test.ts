/** Our modal over merchants' dialogs of common libraries. Neither may close or disturb the other. */
import { build } from 'esbuild';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstOf, MATRIX_ENGINES } from '../harness/index.js';
import { eachPage, resultOn, startStage, type Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('dialogs.tsx', import.meta.url).pathname],
    bundle: true,
    write: false,
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const type = 'text/javascript';
  stage = await startStage();
  stage.merchant.routes['/app.js'] = { body: outputFiles[0]!.text, type };
  stage.merchant.routes['/bill'] = `<!doctype html><html lang="en"><title>Pay your bill</title>
    ${stage.loaderTag}
    <body><div id="root"></div><script>
      window.pay = async () => {
        window.result = await EmbeddedSessions.completePayment('${stage.sessionUrl()}').catch(({ code }) => ({ code }));
      };
    </script><script src="/app.js"></script></body></html>`;
});
afterAll(() => stage.stop());

const LIBRARIES = firstOf(1, ['radix', 'mui', 'headless', 'focus-trap']);

describe.each(MATRIX_ENGINES)('over a dialog in %s', (engine) => {
  let page: Page;
  let frame: FrameLocator;
  eachPage(engine, (...next) => ([page, frame] = next));

  const theirs = () => page.getByText('Pay now');
  const ours = () => page.locator('dialog');
  const result = () => resultOn(page);
  const openOver = async (library: string): Promise<void> => {
    await page.goto(`${stage.merchant.url}/bill#${library}`);
    await theirs().click();
    await frame.getByLabel('Card number').waitFor();
  };

  describe.each(LIBRARIES)('of %s', (library) => {
    it('pays, and the merchant’s dialog stays open', async () => {
      await openOver(library);
      await frame.getByLabel('Card number').click();
      await page.keyboard.type('4242');
      expect(await frame.getByLabel('Card number').inputValue()).toBe('4242');
      await frame.getByRole('button', { name: 'Succeed' }).click();
      await frame.getByRole('button', { name: 'Done' }).click();
      expect(await result()).toMatchObject({ status: 'completed' });
      expect(await ours().count()).toBe(0);
      expect(await theirs().count()).toBe(1);
      await page.waitForFunction(() => document.activeElement?.textContent === 'Pay now');
    });

    it('Tab stays in ours, and reaches the form', async () => {
      await openOver(library);
      await page.getByRole('button', { name: 'Close' }).focus();
      await page.keyboard.press('Tab');
      await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('iframe');
      await page.keyboard.type('4');
      expect(await frame.getByLabel('Card number').inputValue()).toBe('4');
    });

    it.each(
      firstOf<[string, () => Promise<void>]>(1, [
        [
          'Escape in the frame',
          async () => {
            await frame.getByLabel('Card number').press('Escape');
          },
        ],
        [
          'Escape outside the frame',
          async () => {
            await page.getByRole('button', { name: 'Close' }).focus();
            await page.keyboard.press('Escape');
          },
        ],
        ['the button', () => page.getByRole('button', { name: 'Close' }).click()],
        ['a click outside it', () => page.mouse.click(5, 5)],
      ]),
    )('%s closes only our modal, and then Escape closes the merchant’s dialog', async (_, close) => {
      await openOver(library);
      await close();
      expect(await result()).toEqual({ status: 'canceled', by: 'payer' });
      expect(await ours().count()).toBe(0);
      expect(await theirs().count()).toBe(1);
      await page.waitForFunction(() => document.activeElement?.textContent === 'Pay now');
      await page.keyboard.press('Escape');
      await page.getByText('Their dialog has closed').waitFor();
    });
  });
});

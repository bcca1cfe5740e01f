/** Our modal over merchants' dialogs of common libraries. Neither may close or disturb the other. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstOf, IS_MATRIX, MATRIX_ENGINES } from '../harness/index.js';
import { eachPage, resultOn, startStage, type Stage } from './stage.js';

/** Of the test command, then of the whole matrix, and then those that it installs. */
const LIBRARIES = firstOf(1, ['radix', 'focus-trap', 'mui', 'headless']);

const INSTALLED = new URL('../frameworks/dialogs/', import.meta.url).pathname;

function install(): void {
  const args = ['-y', 'pnpm@12', 'install', '--frozen-lockfile'];
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: INSTALLED, encoding: 'utf8' });
  if (status !== 0) throw new Error(`pnpm install failed:\n${stdout}${stderr}`);
}

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}

let stage: Stage;
beforeAll(async () => {
  const files = [new URL('dialogs.tsx', import.meta.url).pathname];
  if (IS_MATRIX) {
    install();
    files.push(join(INSTALLED, 'main.tsx'));
  }
  const scripts = await Promise.all(files.map(bundle));
  stage = await startStage();
  stage.merchant.routes['/app.js'] = { body: scripts.join(';'), type: 'text/javascript' };
  stage.merchant.routes['/bill'] = `<!doctype html><html lang="en"><title>Pay your bill</title>
    ${stage.loaderTag}
    <body><div id="root"></div><script>
      window.pay = async () => {
        window.result = await EmbeddedSessions.completePayment('${stage.sessionUrl()}').catch(({ code }) => ({ code }));
      };
    </script><script src="/app.js"></script></body></html>`;
}, 300_000);
afterAll(() => stage.stop());

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
    it('pays, and the merchant’s dialog stays open', { tags: ['thorough'] }, async () => {
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

    it('Tab stays in ours, and reaches the form', { tags: ['thorough'] }, async () => {
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
    )(
      '%s closes only our modal, and then Escape closes the merchant’s dialog',
      { tags: ['thorough'] },
      async (_, close) => {
        await openOver(library);
        await close();
        expect(await result()).toEqual({ status: 'canceled', by: 'payer' });
        expect(await ours().count()).toBe(0);
        expect(await theirs().count()).toBe(1);
        await page.waitForFunction(() => document.activeElement?.textContent === 'Pay now');
        await page.keyboard.press('Escape');
        await page.getByText('Their dialog has closed').waitFor();
      },
    );
  });
});

/** Charges that require a challenge, in a merchant's page and stand-alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payWithTestCard } from '../../packages/loader/src/playwright.js';
import {
  axeViolations,
  bodyOf,
  collectErrors,
  fillCard,
  launch,
  pressIn,
  pressPay,
  sessionFrame,
  startOrigin,
  startService,
  type Origin,
  type Service,
  openTab,
} from '../harness/index.js';
import { visit } from './stage.js';

const CHALLENGED = '4000 0000 0000 3220';

let browser: Browser;
let shop: Origin;
let service: Service;

const SHOP = (sdk: string): string =>
  `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><script src="${sdk}"></script></html>`;

beforeAll(async () => {
  [browser, shop] = await Promise.all([launch('chromium'), startOrigin({})]);
  service = await startService({ allowedOrigins: [shop.url] });
  shop.routes['/'] = SHOP(service.loaderUrl);
});
afterAll(async () => {
  await service?.stop();
  await shop?.stop();
  await browser?.close();
});

/** A processor with a bank on another site. */
const processorOf = (bank: string): string => `const bank = ${JSON.stringify(bank)};
export default {
  frameOrigins: [bank],
  tokenize: async ({ cardNumber }) => ({ token: 'tok', last4: cardNumber.slice(-4) }),
  charge: async ({ context: { returnUrl } }) => ({
    outcome: 'requires_action',
    action: { url: bank + '/3ds?back=' + encodeURIComponent(returnUrl) },
  }),
  lookup: async () => {
    const response = await fetch(bank + '/outcome');
    if (!response.ok) throw new Error('not answered yet');
    return response.text();
  },
};`;

/** A bank's page that asks the cardholder, tries to navigate the top window, and returns with POST. */
const BANK = `<!doctype html><title>Bank</title><h1>Other bank</h1>
<form method="post" action="/answer"><input type="hidden" name="back"><button>Confirm</button></form>
<script>
document.forms[0].back.value = new URLSearchParams(location.search).get('back');
try { top.location = '/taken' } catch {}
</script>`;

const challenge = (page: Page) => page.frameLocator('.challenge iframe');

async function pay(
  body = {},
  choose?: (page: Page) => Promise<void>,
): Promise<{ page: Page; errors: string[] }> {
  const { sessionUrl } = await service.create('payment', body);
  const page = await visit(browser, sessionUrl);
  const errors = collectErrors(page);
  await choose?.(page);
  await fillCard(page, CHALLENGED);
  await pressPay(page);
  await challenge(page).getByRole('heading', { name: 'Test bank' }).waitFor();
  return { page, errors };
}

describe('R-101 a challenge', () => {
  it('takes another card after a decline', { tags: 'thorough' }, async () => {
    const { page, errors } = await pay();
    expect(await page.getByRole('heading', { level: 1, name: 'Confirm it’s you' }).isVisible()).toBe(true);
    await challenge(page).getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Your payment was declined').waitFor();
    await fillCard(page);
    await pressPay(page);
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it(
    'R-60 names its own amount after a reload, and can be canceled after a lost request',
    { tags: ['thorough'] },
    async () => {
      const Charges = [5_000, 1_234].map((Amount, n) => ({
        Amount,
        ClientAccount: { AccountNumber: `A-${n}`, Name: 'Dana' },
      }));
      const { page } = await pay({ Charges }, (form) => form.getByRole('checkbox').first().uncheck());
      await page.reload();
      await page.getByText('needs you to confirm this $12.34 payment.').waitFor();
      await challenge(page).getByRole('heading', { name: 'Test bank' }).waitFor();
      await page.route('**/cancel', (route) => route.abort(), { times: 1 });
      await pressIn(page, 'Cancel payment');
      await page.getByText('We still can’t connect').waitFor();
      await challenge(page).getByRole('heading', { name: 'Test bank' }).waitFor();
      await pressIn(page, 'Cancel payment');
      await page.getByText('confirmation was canceled or not completed. You haven’t been charged.').waitFor();
      expect(await page.getByText('declined').count()).toBe(0);
      await page.close();
    },
  );

  it('uses a 3-D Secure size, and has no accessibility violation', { tags: 'thorough' }, async () => {
    const { page } = await pay();
    const sizes: unknown[] = [];
    for (const [width, height] of [
      [320, 640],
      [375, 667],
      [480, 800],
      [768, 1024],
      [1280, 600],
    ] as const) {
      await page.setViewportSize({ width, height });
      const box = await page.locator('.challenge iframe').boundingBox();
      sizes.push([box?.width, box?.height]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    expect(sizes.slice(2)).toEqual([
      [390, 400],
      [500, 600],
      [600, 400],
    ]);
    for (const [width] of sizes.slice(0, 2) as [number, number][]) expect(width).toBeGreaterThanOrEqual(250);
    expect(await axeViolations(page)).toEqual([]);
    expect(await axeViolations(page.frames().at(-1) as Frame)).toEqual([]);
    await page.close();
  });

  it('works in a cross-origin modal, where payWithTestCard completes it', async () => {
    const page = await openTab(browser);
    await page.goto(shop.url);
    const { sessionUrl } = await service.create('payment');
    await page.evaluate((url) => {
      const sdk = (globalThis as unknown as { Service: { completePayment(url: string): unknown } }).Service;
      void sdk.completePayment(url);
    }, sessionUrl);
    await sessionFrame(page).getByLabel('Card number').waitFor();
    expect(await payWithTestCard(page as never, { number: CHALLENGED })).toBe('paid');
    await page.close();
  });

  it(
    'on another site cannot navigate the top window, keeps the modal open, and returns with POST',
    { tags: 'thorough' },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'challenge-'));
      const bank = await startOrigin({
        host: 'localhost',
        routes: {
          '/3ds': BANK,
          '/answer': async (request, response) => {
            bank.routes['/outcome'] = 'succeeded';
            const back = new URLSearchParams(await bodyOf(request)).get('back') ?? '';
            response.writeHead(307, { location: back }).end();
          },
        },
      });
      const module = join(folder, 'processor.mjs');
      writeFileSync(module, processorOf(bank.url));
      const other = await startService({ allowedOrigins: [shop.url], args: ['--processor', module] });
      shop.routes['/other'] = SHOP(other.loaderUrl);
      const page = await openTab(browser);
      await page.goto(`${shop.url}/other`);
      const { sessionUrl } = await other.create('payment');
      await page.evaluate((url) => {
        const sdk = (globalThis as unknown as { Service: { completePayment(url: string): unknown } }).Service;
        void sdk.completePayment(url);
      }, sessionUrl);
      await fillCard(sessionFrame(page));
      await pressPay(sessionFrame(page));
      const frame = sessionFrame(page).frameLocator('.challenge iframe');
      await frame.getByRole('heading', { name: 'Other bank' }).waitFor();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('dialog').isVisible()).toBe(true);
      expect(page.url()).toBe(`${shop.url}/other`);

      await frame.getByRole('button', { name: 'Confirm' }).click();
      await sessionFrame(page).getByRole('heading', { name: 'Payment complete' }).waitFor();
      await page.close();
      await Promise.all([other.stop(), bank.stop()]);
      rmSync(folder, { recursive: true });
    },
  );
});

// `pnpm screenshots`: docs/screenshots, from what was built. Every page at 320 px and 1280 px, light and dark.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CHROMIUM_ARGUMENTS } from './demo-check.mjs';
import { startStack } from './demo-stack.mjs';
import { findEngine } from './engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const { chromium } = createRequire(new URL('../e2e/package.json', import.meta.url))('playwright-core');
const folder = 'docs/screenshots';
mkdirSync(folder, { recursive: true });

const stack = await startStack();
const browser = await chromium.launch({ executablePath: findEngine('chromium'), args: CHROMIUM_ARGUMENTS });
try {
  for (const width of [320, 1280])
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ viewport: { width, height: 820 }, colorScheme });
      const page = await context.newPage();
      const shoot = (name, options) =>
        page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, ...options });
      await page.goto(stack.plainUrl);
      await shoot('plain', { fullPage: true });
      await page.goto(stack.reactUrl);
      const pay = page.getByRole('button', { name: /^Pay \$/ });
      await pay.waitFor();
      await shoot('account');
      await shoot('account-whole', { fullPage: true });
      await pay.click();
      const form = page.frameLocator('iframe');
      await form.getByLabel('Card number').fill('4242 4242 4242 4242');
      await shoot('payment');
      await form.getByLabel('Expiry date').fill('12/34');
      await form.getByLabel('Security code').fill('123');
      await form.getByLabel('Name on card').fill('Ana Reyes');
      await form.getByLabel('ZIP code').fill('04101');
      await form.getByRole('button', { name: /^Pay \$/ }).click();
      await form.getByRole('heading', { name: 'Payment complete' }).waitFor();
      await shoot('receipt');
      void form
        .getByRole('button', { name: 'Done' })
        .click()
        .catch(() => {});
      await page.getByText(/^Thank you\. We received/).waitFor();
      await shoot('paid');
      await context.close();
    }
} finally {
  await browser.close();
  await stack.stop();
}

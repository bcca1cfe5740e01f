// `pnpm gallery`: every picture of the docs, from what was built: the site, the payment in it and the inspector's
// screens at 320 px and 1280 px, light and dark, then every state of the hosted pages with docs/flows.md.
// `pnpm gallery site` and `pnpm gallery pages` make one of the two.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CHROMIUM_ARGUMENTS, payOnce } from './demo-check.mjs';
import { startStack } from './demo-stack.mjs';
import { findEngine } from './engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const { chromium } = createRequire(new URL('../e2e/package.json', import.meta.url))('playwright-core');
const folder = 'docs/screenshots';
mkdirSync(folder, { recursive: true });

const wanted = process.argv[2] ?? 'all';
if (wanted !== 'pages') await site();
if (wanted !== 'site') await import('../e2e/pages/gallery.mjs');

async function site() {
  const stack = await startStack();
  const browser = await chromium.launch({ executablePath: findEngine('chromium'), args: CHROMIUM_ARGUMENTS });
  try {
    const looks = [320, 1280].flatMap((width) => ['light', 'dark'].map((scheme) => ({ width, scheme })));
    for (const look of looks) {
      const { page, shoot, close } = await open(browser, look);
      await page.goto(stack.plainUrl);
      await shoot('plain');
      await page.goto(stack.reactUrl);
      const pay = page.getByRole('button', { name: /^Pay \$/ });
      await pay.waitFor();
      await shoot('account');
      await pay.click();
      await page.frameLocator('iframe').getByLabel('Card number').fill('4242 4242 4242 4242');
      await shoot('payment');
      await close();
    }
    // The inspector has something to show of each kind once a bill is paid.
    await payOnce(stack);
    for (const look of looks) {
      const { page, shoot, close } = await open(browser, look);
      for (const screen of ['', 'sessions', 'webhooks', 'clock', 'faults', 'try']) {
        await page.goto(stack.inspectorUrl.replace('/#', `/${screen}#`));
        await page.getByText('Live', { exact: true }).waitFor();
        await shoot(`inspector-${screen || 'timeline'}`);
      }
      for (const [list, one] of [
        ['', 'requests'],
        ['sessions', 'sessions'],
        ['webhooks', 'webhooks'],
      ]) {
        await page.goto(stack.inspectorUrl.replace('/#', `/${list}#`));
        await page.locator(`a[href^="/${one}/"]`).first().click();
        await page.waitForURL(`**/${one}/*`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await shoot(`inspector-${one.slice(0, -1)}`);
      }
      await close();
    }
  } finally {
    await browser.close();
    await stack.stop();
  }
}

async function open(browser, { width, scheme }) {
  const context = await browser.newContext({ viewport: { width, height: 820 }, colorScheme: scheme });
  const page = await context.newPage();
  return {
    page,
    shoot: (name) => page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png` }),
    close: () => context.close(),
  };
}

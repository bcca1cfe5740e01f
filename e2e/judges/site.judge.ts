/** Tests the documentation site built by `pnpm docs:build`: search, phone layout and machine-readable files. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, collectErrors, freePort, launch, type Browser, type Page } from '../harness/index.js';

interface VitePress {
  serve(this: void, options: { root: string; port: number }): Promise<{ server: import('node:http').Server }>;
}
const docs = new URL('../../docs/', import.meta.url);

let browser: Browser;
let serveSite: VitePress['serve'];
let server: import('node:http').Server;
let site: string;
beforeAll(async () => {
  ({ serve: serveSite } = (await import(
    new URL('node_modules/vitepress/dist/node/index.js', docs).href
  )) as VitePress);
  const port = await freePort();
  ({ server } = await serveSite({ root: docs.pathname, port }));
  site = `http://localhost:${port}`;
  browser = await launch('chromium');
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Resolves when the page responds to input. */
async function open(page: Page, path: string, base = site): Promise<void> {
  await page.goto(base + path);
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
}

describe('the site', () => {
  it.each([
    ['origin_not_allowed', '/errors/loader#flow_failed', 'flow_failed'],
    ['not_refundable', '/errors/service#not_refundable', 'not_refundable'],
    ['refund', '/', 'refund'],
    ['createLoader', '/', 'createLoader'],
    ['python', '/start/backends', 'Python'],
    ['upgrade', '/upgrading', 'Upgrad'],
    ['accounting', '/accounting', 'Accounting'],
    ['chargeback', '/disputes', 'chargebacks'],
    ['GDPR', '/privacy', 'Privacy'],
    ['PCI', '/security', 'PCI'],
  ])('finds %s and opens the result', async (word, address, title) => {
    const page = await browser.newPage();
    const errors = collectErrors(page);
    await open(page, '/start/');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const box = page.locator('.VPLocalSearchBox');
    await box.locator('input').fill(word);
    const first = box.locator('.result').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toContain(address);
    await box.locator('input').press('Enter');
    await box.waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.href.includes(address) && url.hash !== '');
    const heading = page.locator(`[id="${new URL(page.url()).hash.slice(1)}"]`);
    await heading.waitFor();
    expect((await heading.innerText()).toLowerCase()).toContain(title.toLowerCase());
    expect(errors).toEqual([]);
    await page.close();
  });

  it('lists the element in its sidebar', async () => {
    const page = await browser.newPage();
    await open(page, '/start/');
    await page.locator('.VPSidebar').getByRole('link', { name: '<embedded-flow>' }).click();
    await page.waitForURL(/\/start\/element$/);
    await page.close();
  });

  it.each(['light', 'dark'] as const)(
    'fits every page on a phone without an error: %s',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 375, height: 800 } });
      const page = await context.newPage();
      const errors = collectErrors(page);
      const found: string[] = [];
      for (const path of await pages()) {
        await open(page, path);
        const isDark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
        expect(isDark).toBe(colorScheme === 'dark');
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > 375) found.push(`${path}: ${width} px wide`);
      }
      expect(found).toEqual([]);
      expect(errors).toEqual([]);
      await context.close();
    },
  );

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
  ] as const)('has no axe violation on a page of each kind: %s, %d px', async (colorScheme, width) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const found: string[] = [];
    for (const path of KINDS) {
      await open(page, path);
      for (const line of await axeViolations(page))
        // Comes from VitePress: its search button shows more text than its accessible name.
        if (!/^label-content-name-mismatch.*DocSearch/s.test(line)) found.push(`${path}: ${line}`);
    }
    expect(found).toEqual([]);
    await context.close();
  });

  it('is available as Markdown, listed in llms.txt', async () => {
    const listed = await markdown();
    expect(listed.length).toBeGreaterThan(50);
    for (const path of listed) {
      const response = await fetch(site + path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        expect.stringContaining('text/markdown'),
      ]);
      expect(await response.text()).not.toMatch(/^<!doctype/i);
    }
  });

  it('links to its Markdown once on each page', async () => {
    const page = await (await fetch(`${site}/start/react`)).text();
    expect(page).toContain('<link rel="alternate" type="text/markdown" href="/start/react.md">');
  });
});

/** The home page, pages with text, code, tables or an image, a generated page, and a decision record. */
const KINDS = [
  '/',
  '/start/react',
  '/inspector',
  '/performance',
  '/packages/loader',
  '/reference/http/',
  '/decisions/0064-ahead-of-the-session',
];

const markdown = async (): Promise<string[]> => {
  const list = await (await fetch(`${site}/llms.txt`)).text();
  return [...list.matchAll(/\]\((\/[^)]+\.md)\)/g)].map(([, path = '']) => path);
};

/** Pages that readers often open, one decision record and the two largest generated pages. */
const pages = async (): Promise<string[]> =>
  (await markdown())
    .filter((path) => !/^\/(decisions|reference)\//.test(path))
    .concat(
      '/decisions/0064-ahead-of-the-session.md',
      '/reference/http/refund-payment.md',
      '/reference/server-types/index.md',
    )
    .map((path) => path.replace(/(index)?\.md$/, ''));

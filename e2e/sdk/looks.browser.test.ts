/** The SDK in a merchant's page: language and looks of the dialog and of the frame. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  launch,
  sessionFrame,
  startOrigin,
  startService,
  type Origin,
  type Service,
} from '../harness/index.js';

let browser: Browser;
let merchant: Origin;
let service: Service;
let page: Page;

beforeAll(async () => {
  [browser, merchant] = await Promise.all([launch('chromium'), startOrigin({ host: 'localhost' })]);
  service = await startService({ allowedOrigins: [merchant.url] });
  const body = (head: string): string => `<!doctype html><html lang="en"><title>Pay</title>${head}
    <link rel="icon" href="data:,"><h1>Pay your bill</h1><div id="here"></div><script src="${service.loaderUrl}"></script>`;
  merchant.routes['/'] = body('');
  merchant.routes['/dark'] = body('<style>:root{color-scheme:dark}</style>');
  merchant.routes['/meta'] = body('<meta name="color-scheme" content="light dark">');
  merchant.routes['/part'] = body('<style>#here{color-scheme:dark}</style>');
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([merchant?.stop(), service?.stop()]);
});
beforeEach(async () => {
  await page?.context().close();
  page = await (await browser.newContext({ locale: 'en-US' })).newPage();
});

interface Options {
  inline?: boolean;
  locale?: string;
  appearance?: Record<string, unknown>;
}

async function start(path: string, { inline, ...options }: Options = {}): Promise<void> {
  await page.goto(merchant.url + path);
  const { sessionUrl } = await service.create('payment');
  await page.evaluate(
    ([url, options, inline]) => {
      const { Service } = globalThis as unknown as {
        Service: { completePayment(url: string, options: object): void };
      };
      const container = inline ? { container: document.querySelector('#here') } : {};
      Service.completePayment(url, { ...options, ...container });
    },
    [sessionUrl, options, inline ?? false] as const,
  );
  await sessionFrame(page).locator('#pay').waitFor();
}

const scheme = () => sessionFrame(page).locator('html').getAttribute('data-scheme');
const background = () =>
  sessionFrame(page)
    .locator('html')
    .evaluate((html) => getComputedStyle(html).backgroundColor);

describe('R-70 the frame’s scheme is', () => {
  it.each([
    ['/', true, 'dark', undefined, 'light'],
    ['/', false, 'dark', undefined, 'light'],
    ['/dark', true, 'light', undefined, 'dark'],
    ['/dark', false, 'light', 'auto', 'dark'],
    ['/meta', false, 'dark', undefined, 'dark'],
    ['/meta', true, 'light', undefined, 'light'],
    ['/part', true, 'light', undefined, 'dark'],
    ['/part', false, 'light', undefined, 'light'],
    ['/', true, 'light', 'dark', 'dark'],
    ['/dark', false, 'dark', 'light', 'light'],
  ] as const)(
    'on %s (inline: %s) with a %s system and colorScheme %s: %s',
    async (path, inline, system, colorScheme, expected) => {
      await page.emulateMedia({ colorScheme: system });
      await start(path, { inline, ...(colorScheme === undefined ? {} : { appearance: { colorScheme } }) });
      expect(await scheme()).toBe(expected);
      expect(await background()).toBe(expected === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 18, 18)');
      expect(await page.locator('#here i, body > i').count()).toBe(0);
    },
  );
});

describe('R-70 an inline form', () => {
  const appearance = {
    background: 'transparent',
    border: '#445566',
    fontFamily: 'Inter, "DejaVu Sans"',
    showHeader: false,
  };
  const styleOf = (selector: string, name: 'borderTopColor' | 'fontFamily') =>
    sessionFrame(page)
      .locator(selector)
      .first()
      .evaluate((each, name) => getComputedStyle(each)[name as 'fontFamily'], name);

  it('matches the page around it', async () => {
    await start('/', { inline: true, appearance });
    expect(await background()).toBe('rgba(0, 0, 0, 0)');
    expect(await styleOf('.control', 'borderTopColor')).toBe('rgb(68, 85, 102)');
    expect(await styleOf('html', 'fontFamily')).toBe('Inter, "DejaVu Sans", system-ui, sans-serif');
    expect(await sessionFrame(page).locator('.brand').isVisible()).toBe(false);
  });

  it('in a dialog still names the payee, on its own background', async () => {
    await start('/', { appearance });
    expect(await background()).toBe('rgb(255, 255, 255)');
    expect((await sessionFrame(page).locator('.brand').boundingBox())?.height).toBeGreaterThan(40);
  });
});

describe('R-70 the dialog', () => {
  it('uses the language of the page in it', async () => {
    await start('/', { locale: 'ar' });
    const dialog = page.getByRole('dialog', { name: 'دفع آمن' });
    await dialog.waitFor();
    expect(await dialog.getAttribute('lang')).toBe('ar');
    expect(await dialog.getAttribute('dir')).toBe('rtl');
    expect(await page.locator('iframe').getAttribute('title')).toBe('دفع آمن');
    await page.getByRole('button', { name: 'إغلاق' }).waitFor();
    expect(await sessionFrame(page).locator('html').getAttribute('dir')).toBe('rtl');
  });

  it('ignores a language tag without a catalog', async () => {
    await start('/', { locale: 'tlh', appearance: { accent: 'red', radius: 99, font: 'Comic Sans' } });
    await page.getByRole('dialog', { name: 'Secure payment' }).waitFor();
    expect(await sessionFrame(page).locator('html').getAttribute('lang')).toBe('en');
  });

  it('keeps the secret out of the query', async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await start('/', { locale: 'fr', appearance: { accent: '#0a7d32', radius: 4, font: 'serif' } });
    const [address = ''] = requests.filter((url) => /\/s\/[^/]+$/.test(new URL(url).pathname));
    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      lang: 'fr',
      scheme: 'light',
      accent: '#0a7d32',
      radius: '4',
      font: 'serif',
    });
  });
});

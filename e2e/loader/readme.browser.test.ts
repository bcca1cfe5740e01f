/** Runs the two pages of the README. Replaces only the operator's address. */
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, launch, MATRIX_ENGINES, startOrigin, type Origin } from '../harness/index.js';
import { startOperator, troubleOf, watchTrouble, type Operator } from './faults.js';

declare const window: Window & typeof globalThis & { opened?: string[]; settle(result: unknown): void };

const README = readFileSync(new URL('../../packages/loader/GUIDE.md', import.meta.url), 'utf8');
/** The code block of a language under a heading. */
const block = (heading: string, language: string): string => {
  const section = README.split(`\n## ${heading}\n`)[1] ?? '';
  return new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(section)?.[1] ?? '';
};

let operator: Operator;
let merchant: Origin;
let received: string[];
let status: number;
let behavior: string;

beforeAll(async () => {
  operator = await startOperator();
  merchant = await startOrigin({
    folders: { '/loader/': 'packages/loader/dist/', '/vendor/': 'packages/loader/dist/' },
    routes: {
      '/receipt': '<!doctype html><title>Receipt</title>',
      '/pay': async (request, response) => {
        received.push(await bodyOf(request));
        const session = { sessionUrl: `${operator.url}/${behavior}/s/1#x`, environment: 'staging' };
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(session));
      },
    },
  });
});
afterAll(async () => {
  await operator.stop();
  await merchant.stop();
});

describe.each(MATRIX_ENGINES)('the guide in %s', (engine) => {
  let browser: Browser;
  let page: Page;
  let row = 0;

  beforeAll(async () => {
    browser = await launch(engine);
    page = await browser.newPage();
    await watchTrouble(page);
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    received = [];
    status = 200;
    behavior = `ok~${engine}-readme${(row += 1)}`;
  });
  afterEach(async () => {
    expect((await troubleOf(page)).unhandled).toEqual([]);
  });

  const here = (text: string) => {
    const url = operator.loaderUrl(behavior);
    expect(text).toContain('https://pay.staging.example.com/app/embedded.loader.js');
    return text.replaceAll('https://pay.staging.example.com/app/embedded.loader.js', url);
  };
  const visitBundled = async () => {
    const { code } = await transform(here(block('With a bundler', 'ts')), { loader: 'ts' });
    merchant.routes['/app.js'] = { body: code, type: 'text/javascript' };
    merchant.routes['/'] = `<!doctype html><title>Bill</title>
      <script type="importmap">{ "imports": { "@embedded-sessions/loader": "/loader/index.js" } }</script>
      ${block('With a bundler', 'html')}<script type="module" src="/app.js"></script>`;
    await page.goto(`${merchant.url}/`);
  };
  const pay = () => page.getByRole('button', { name: 'Pay my bill' });
  const opened = async () => {
    await page.waitForFunction(() => window.opened?.length);
    return page.evaluate(() => window.opened);
  };

  it('with a bundler, a double click opens one payment', async () => {
    await visitBundled();
    await pay().dblclick();
    expect(await opened()).toEqual([`${operator.url}/${behavior}/s/1#x`]);
    expect(received).toEqual(['']);
    await page.evaluate(() => window.settle({ status: 'completed', detail: {} }));
    await page.waitForURL('**/receipt');
  });

  it('with a bundler, the button shows the error and can be pressed again', async () => {
    await visitBundled();
    status = 500;
    await pay().click();
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Please call 555-0100.');
    status = 200;
    await pay().click();
    await opened();
    await page.evaluate(() => window.settle({ status: 'expired' }));
    await expect.poll(() => page.getByRole('status').textContent()).toContain('press Pay again');
  });

  it('with a script tag, the button pays', async () => {
    merchant.routes['/'] = here(block('With a script tag', 'html'));
    await page.goto(`${merchant.url}/`);
    await pay().click();
    expect(await opened()).toEqual([`${operator.url}/${behavior}/s/1#x`]);
    expect(received).toEqual(['_csrf=%E2%80%A6']);
    await page.evaluate(() => window.settle({ status: 'completed', detail: {} }));
    await page.waitForURL('**/receipt');
  });
});

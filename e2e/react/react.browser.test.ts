/** Tests the built package with the built SDK and service, under StrictMode in a real browser. */
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  collectErrors,
  fillCard,
  launch,
  openTab,
  payByCard,
  pressDone,
  pressPay,
  renderAhead,
  REPORT_SCRIPT,
  sessionFrame,
  startOrigin,
  startService,
  type Origin,
  type Service,
} from '../harness/index.js';

let browser: Browser;
let service: Service;
let merchant: Origin;
/** Sessions that the merchant's backend created for the current page. */
let sessions: string[];
/** Whether sessions have already expired when they reach the page. */
let tooLate: boolean;

beforeAll(async () => {
  merchant = await startOrigin({ host: 'localhost' });
  const [launched, started, bundle] = await Promise.all([
    launch('chromium'),
    startService({ allowedOrigins: [merchant.url] }),
    build({
      entryPoints: [new URL('app.tsx', import.meta.url).pathname],
      bundle: true,
      write: false,
      jsx: 'automatic',
      format: 'esm',
      define: { 'process.env.NODE_ENV': '"development"' },
    }),
  ]);
  browser = launched;
  service = started;
  Object.assign(merchant.routes, {
    '/': `<!doctype html><html lang="en"><title>Bill</title><link rel="icon" href="data:,">
      <main></main><script>window.loaderUrl = ${JSON.stringify(service.loaderUrl)}</script>
      <script type="module" src="/app.js"></script></html>`,
    '/app.js': { body: bundle.outputFiles[0]!.text, type: 'text/javascript' },
    '/session': async (_request, response) => {
      const { sessionId, sessionUrl } = await service.create('payment');
      sessions.push(sessionId);
      if (tooLate) await service.control.advance('31m');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ sessionUrl, environment: 'staging' }));
    },
  } satisfies Origin['routes']);
});

afterAll(async () => {
  await Promise.all([browser?.close(), merchant?.stop(), service?.stop()]);
});

/** Opens the page and runs the test. Fails if React or the browser reported a problem. */
async function visit(
  kind: 'modal' | 'route' | 'inline',
  work: (page: Page, errors: string[]) => Promise<void>,
): Promise<void> {
  sessions = [];
  tooLate = false;
  const page = await openTab(browser, { viewport: { width: 900, height: 900 } });
  try {
    const errors = collectErrors(page);
    await page.goto(`${merchant.url}/?kind=${kind}`);
    await work(page, errors);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
  }
}

const click = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
const commits = (page: Page): Promise<number> => page.evaluate(() => window.commits);
const results = (page: Page) => page.evaluate(() => window.results);
const settled = async (page: Page) => {
  await page.waitForFunction(() => window.events.some(({ type }) => type === 'settled'));
  return page.evaluate(() => window.events.filter(({ type }) => type === 'settled'));
};
const paid = async (): Promise<number> => {
  const { payments } = await service.control.state();
  return payments.filter(({ sessionId, status }) => sessions.includes(sessionId) && status === 'succeeded')
    .length;
};

it.each(['route', 'inline'])(
  'R-1 a prerendered page requests a session only once it is visited: %s',
  { tags: 'thorough' },
  async (kind) => {
    sessions = [];
    tooLate = false;
    merchant.routes['/ahead'] = (merchant.routes['/'] as string).replace(
      '<main>',
      `${REPORT_SCRIPT}<script>
        const isReady = () => window.events?.some(({ type }) => type === 'ready');
        const look = setInterval(() => isReady() && (say('ready'), clearInterval(look)), 50);
        new MutationObserver((_, seen) => {
          if (!document.querySelector('main *')) return;
          seen.disconnect();
          setTimeout(() => say('mounted'), 200);
        }).observe(document, { childList: true, subtree: true });
      </script><main>`,
    );
    const ahead = await renderAhead(merchant, `/ahead?kind=${kind}`);
    try {
      await expect.poll(() => ahead.reports).toContain('mounted');
      expect(sessions).toEqual([]);
      ahead.visit();
      await expect.poll(() => ahead.reports).toEqual(['ahead', 'mounted', 'visited', 'ready']);
      expect(sessions).toHaveLength(1);
    } finally {
      await ahead.stop();
    }
  },
);

it(
  'R-60 an inline form is shown again after Back, and the interrupted flow is reported as unknown',
  { tags: 'thorough' },
  async () => {
    // Headless browsers have no back/forward cache.
    const whole = await launch('chromium', {
      needsWindow: true,
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
    try {
      sessions = [];
      tooLate = false;
      merchant.routes['/elsewhere'] = '<title>Terms</title>';
      const page = await whole.newPage();
      await page.goto(`${merchant.url}/?kind=inline`);
      await sessionFrame(page).getByLabel('Card number').waitFor();
      await page.evaluate(() =>
        addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted })),
      );
      await page.goto(`${merchant.url}/elsewhere`);
      await page.goBack({ waitUntil: 'commit' });
      await page.waitForFunction(() => (window as { persisted?: boolean }).persisted);
      expect(await settled(page)).toMatchObject([{ result: { status: 'unknown' } }]);
      await fillCard(sessionFrame(page));
      await pressPay(sessionFrame(page));
      await page.waitForFunction(() => window.results.length > 1);
      expect(await results(page)).toMatchObject([{ status: 'unknown' }, { status: 'completed' }]);

      await page.goto(`${merchant.url}/elsewhere`);
      await page.goBack({ waitUntil: 'commit' });
      // The receipt stays; Playwright can't inspect a frame restored from the cache.
      await page.locator('iframe').waitFor();
      expect(await results(page)).toHaveLength(2);
      expect(sessions).toHaveLength(1);
    } finally {
      await whole.close();
    }
  },
);

describe('modal', () => {
  it('R-1 pays with one session, one frame, one result and at most 4 commits', () =>
    visit('modal', async (page) => {
      await page.getByRole('button', { name: 'Pay the bill' }).waitFor();
      const before = await commits(page);
      await page.getByRole('button', { name: 'Pay the bill' }).dblclick();
      await payByCard(sessionFrame(page));
      expect(await page.locator('iframe').count()).toBe(1);
      pressDone(sessionFrame(page));
      await page.locator('main output', { hasText: 'settled' }).waitFor();
      await page.waitForFunction(() => window.results.length > 0);
      const [result, ...more] = await results(page);
      expect(result).toMatchObject({ status: 'completed', detail: { Status: 'Succeeded' } });
      expect(more).toEqual([]);
      expect((await commits(page)) - before).toBeLessThanOrEqual(4);
      expect(sessions).toHaveLength(1);
      expect(await paid()).toBe(1);
      expect(await page.locator('iframe').count()).toBe(0);
    }));

  it('keeps its result when the route changes while it is open', { tags: 'thorough' }, () =>
    visit('modal', async (page) => {
      await click(page, 'Pay the bill');
      const form = sessionFrame(page);
      await fillCard(form);
      // The modal covers the page, so navigate by script.
      await page.getByRole('button', { name: 'gone', includeHidden: true }).dispatchEvent('click');
      await page.getByText('Pay the bill').waitFor({ state: 'detached' });
      await pressPay(form);
      await form.getByRole('heading', { name: 'Payment complete' }).waitFor();
      pressDone(sessionFrame(page));
      expect(await settled(page)).toMatchObject([{ flow: 'payment', result: { status: 'completed' } }]);
      await expect.poll(() => results(page)).toHaveLength(1);
      expect(await paid()).toBe(1);
    }),
  );

  it(
    'opened and aborted by an effect stays open once in StrictMode, closes with its route, and the next one opens',
    { tags: ['thorough'] },
    () =>
      visit('route', async (page) => {
        await fillCard(sessionFrame(page));
        expect(await page.locator('iframe').count()).toBe(1);
        const show = async (name: string) => {
          await page.evaluate(() => (window.results.length = 0));
          await page.getByRole('button', { name, includeHidden: true }).dispatchEvent('click');
          await page.waitForFunction(() => window.results.length > 0);
          expect(await results(page)).toEqual([{ status: 'canceled', by: 'merchant' }]);
        };
        await show('gone');
        await page.locator('iframe').waitFor({ state: 'detached' });
        await show('visible');
        await payByCard(sessionFrame(page));
        pressDone(sessionFrame(page));
        await page.locator('main output', { hasText: 'settled' }).waitFor();
        expect(await paid()).toBe(1);
      }),
  );

  it('stays open and keeps its result while <Activity> hides its component', { tags: 'thorough' }, () =>
    visit('modal', async (page) => {
      await click(page, 'Pay the bill');
      await fillCard(sessionFrame(page));
      await page.getByRole('button', { name: 'hidden', includeHidden: true }).dispatchEvent('click');
      await page.locator('main output').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'visible', includeHidden: true }).dispatchEvent('click');
      await pressPay(sessionFrame(page));
      await sessionFrame(page).getByRole('heading', { name: 'Payment complete' }).waitFor();
      pressDone(sessionFrame(page));
      await page.locator('main output', { hasText: 'settled' }).waitFor();
      expect(sessions).toHaveLength(1);
    }),
  );
});

describe('inline', () => {
  const region = (page: Page) => page.getByRole('region', { name: 'Your payment' });

  it('R-1 pays with one session, one frame and 2 commits after the mount, and none on resize', () =>
    visit('inline', async (page) => {
      const form = sessionFrame(page);
      await form.getByLabel('Card number').waitFor();
      await expect.poll(() => region(page).getAttribute('aria-busy')).toBe('false');
      expect(sessions).toHaveLength(1);
      const frame = region(page).locator('iframe');
      expect(await frame.count()).toBe(1);

      const shown = await commits(page);
      const height = (await frame.boundingBox())!.height;
      await page.setViewportSize({ width: 320, height: 900 });
      await page.waitForFunction(
        (height) => document.querySelector('iframe')!.getBoundingClientRect().height !== height,
        height,
      );
      expect(await commits(page)).toBe(shown);

      await payByCard(form);
      await page.waitForFunction(() => window.results.length > 0);
      expect(await results(page)).toMatchObject([{ status: 'completed', detail: { Status: 'Succeeded' } }]);
      // One more is the mount itself.
      expect(await commits(page)).toBeLessThanOrEqual(1 + 2);
      expect(sessions).toHaveLength(1);
      expect(await paid()).toBe(1);
    }));

  it('keeps frame and typed text while <Activity> hides and shows it, and pays', { tags: 'thorough' }, () =>
    visit('inline', async (page) => {
      await fillCard(sessionFrame(page));
      await click(page, 'hidden');
      await region(page).waitFor({ state: 'hidden' });
      await click(page, 'visible');
      const form = sessionFrame(page);
      expect(await form.getByLabel('Name on card').inputValue()).toBe('Dana Reyes');
      await pressPay(form);
      await form.getByRole('heading', { name: 'Payment complete' }).waitFor();
      await page.waitForFunction(() => window.results.length > 0);
      expect(sessions).toHaveLength(1);
      expect(await paid()).toBe(1);
    }),
  );

  it(
    'R-51 shows that a session has expired before opening, and passes the error to the merchant',
    { tags: ['thorough'] },
    () =>
      visit('inline', async (page, errors) => {
        await click(page, 'gone');
        tooLate = true;
        await page.evaluate(() => (window.events.length = window.results.length = 0));
        await click(page, 'visible');
        await sessionFrame(page).getByRole('heading', { name: 'This session has expired' }).waitFor();
        await page.waitForFunction(() => window.results.length > 0);
        expect(await results(page)).toEqual([{ status: 'expired' }]);
        // The browser's own message about the service's response to the hosted page.
        expect(errors.splice(0)).toEqual([expect.stringMatching(/responded with a status of 4\d\d/)]);
        expect(await paid()).toBe(0);
      }),
  );

  it.each([
    ['shown', []],
    ['hidden', ['hidden']],
  ] as const)(
    'removes its frame and reports unknown to the provider if removed while %s',
    { tags: 'thorough' },
    (_how, first) =>
      visit('inline', async (page) => {
        await sessionFrame(page).getByLabel('Card number').waitFor();
        for (const name of [...first, 'gone']) await click(page, name);
        await region(page).waitFor({ state: 'detached' });
        expect(await settled(page)).toEqual([
          { type: 'settled', flow: 'payment', result: { status: 'unknown' } },
        ]);
        expect(await page.locator('iframe').count()).toBe(0);
        expect(await results(page)).toEqual([]);
      }),
  );
});

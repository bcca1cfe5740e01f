/**
 * Pages that are opened before their session exists (`Service.warm()`), including attempts to misuse them.
 */
import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  collectErrors,
  MATRIX_ENGINES,
  launch,
  leave,
  openTab,
  payByCard,
  pressDone,
  pressIn,
  sessionFrame,
  startOrigin,
  startService,
  type Flow,
  type Origin,
  type Service,
} from '../harness/index.js';
import { DECLINED, pay } from '../pages/stage.js';

declare const window: Window & typeof globalThis & Site;

interface Site {
  Service: {
    warm(dress?: unknown): Promise<void>;
    completePayment(url: string, options?: unknown): Promise<unknown> & { close(): Promise<void> };
  };
  start(url: string, options?: unknown, door?: string): void;
  result: Promise<unknown>;
  flow: { close(): Promise<void> };
  events: string[];
  posted: string[];
}

const WATER = 'harborlight-water';
let merchant: Origin;
let foreignOrigin: Origin;
/** Allowed by another business unit. */
let neighbor: Origin;
/** Allowed by two business units. */
let town: Origin;
let service: Service;

beforeAll(async () => {
  [merchant, foreignOrigin, neighbor, town] = await Promise.all(
    Array.from({ length: 4 }, () => startOrigin({ host: 'localhost' })) as [
      Promise<Origin>,
      Promise<Origin>,
      Promise<Origin>,
      Promise<Origin>,
    ],
  );
  const apiKey = `stg_key_${randomUUID().replaceAll('-', '')}`;
  const agents = [{ email: 'agent@harborlight.example' }];
  const businessUnits = [
    { slug: WATER, name: 'Harborlight Water', allowedOrigins: [merchant.url], agents },
    { slug: 'gas', name: 'Northgate Gas', allowedOrigins: [neighbor.url], agents },
    { slug: 'light', name: 'Town Light', allowedOrigins: [town.url], appearance: { accent: '#aa0000' } },
    { slug: 'waste', name: 'Town Waste', allowedOrigins: [town.url], appearance: { accent: '#00aa00' } },
  ];
  service = await startService({
    apiKey,
    config: {
      businessUnits,
      apiKeys: [{ key: apiKey, businessUnits: businessUnits.map(({ slug }) => slug) }],
    },
  });
  const page = `<!doctype html><html lang="en"><title>Pay your bill</title><link rel="icon" href="data:,">
    <h1>Pay your bill</h1><button id="pay">Pay</button><div id="inline"></div>
    <script>
      window.posted = [];
      for (const { prototype } of [MessagePort, Window]) {
        const { postMessage } = prototype;
        if (postMessage) prototype.postMessage = function (...args) { posted.push(JSON.stringify(args)); return postMessage.apply(this, args); };
      }
    </script>
    <script src="${service.loaderUrl}"></script>
    <script>
      window.events = [];
      for (const type of ['ready', 'processing', 'completed', 'expired', 'error', 'closed'])
        Service.on(type, (event) => events.push(event.type));
      window.start = (url, options, door = 'completePayment') => {
        if (options?.inline) options = { container: document.querySelector('#inline') };
        window.flow = Service[door](url, options);
        window.result = flow.then((result) => ({ result }), ({ code, details }) => ({ code, details }));
      };
    </script></html>`;
  for (const site of [merchant, neighbor, town]) site.routes['/'] = page;
  merchant.routes['/frameless'] = {
    body: page,
    headers: { 'content-security-policy': "frame-src 'none'" },
  };
  merchant.routes['/elsewhere'] = '<title>Elsewhere</title>';
});
afterAll(() =>
  Promise.all([merchant.stop(), foreignOrigin.stop(), neighbor.stop(), town.stop(), service.stop()]),
);

describe.each(MATRIX_ENGINES)('a page opened before its session in %s', (engine) => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let frame: FrameLocator;
  let errors: string[];
  /** Requests to the service's `/s/` and their responses, recorded separately from the page's own reports. */
  let requests: string[];

  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser.close());
  const begin = (tab: Page): void => {
    page = tab;
    context = page.context();
    errors = collectErrors(page);
    frame = sessionFrame(page);
    requests = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      const path = pathname.replace(/stg_[\w-]+/, 'ID');
      // On a busy machine, the SDK may also ask why the frame is silent.
      if (path.startsWith('/s/') && !path.endsWith('.js')) requests.push(`${response.status()} ${path}`);
    });
  };
  beforeEach(async () => begin(await openTab(browser)));
  /** A context of its own, because its clock is for all of its tabs. */
  const installClock = async (): Promise<void> => {
    await page.close();
    begin(await browser.newPage());
    await page.clock.install();
  };
  afterEach(() => page.close());

  const once = it.runIf(engine === MATRIX_ENGINES[0]);
  const WARMED = ['200 /s/warm', '200 /s/ID/api/session'];
  const OWN_PAGE = ['200 /s/ID', '200 /s/ID/api/session'];

  const create = async (flow: Flow = 'payment', unit = WATER): Promise<string> =>
    (await service.create(flow, { BusinessUnitSlug: unit })).sessionUrl;
  const secretOf = (url: string): string => new URL(url).hash.slice(1);
  const visit = (site: Origin = merchant, path = '/') => page.goto(site.url + path);
  const warm = (dress?: unknown): Promise<void> =>
    page.evaluate((dress) => window.Service.warm(dress), dress);
  const start = (url: string, options?: unknown, door?: string): Promise<void> =>
    page.evaluate(([url, options, door]) => window.start(url, options, door), [url, options, door] as const);
  const result = (): Promise<unknown> => page.evaluate(() => window.result);
  const close = (): Promise<unknown> => page.evaluate(() => window.flow.close().then(() => window.result));
  const cardNumber = () => frame.getByLabel('Card number');
  const inService = () => page.frames().filter((each) => each.url().startsWith(service.url));

  it('R-1 shows a session with one more request, and is invisible before', async () => {
    const url = await create();
    await visit();
    await page.locator('#pay').focus();
    await warm();
    expect(await page.locator('iframe').isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
    await start(url);
    await cardNumber().waitFor();
    await expect.poll(() => requests).toEqual(WARMED);
    expect(await frame.locator('.brand-name').innerText()).toBe('Harborlight Water');
    await expect.poll(() => frame.locator('body').evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await payByCard(frame);
    pressDone(frame);
    expect(await result()).toMatchObject({ result: { status: 'completed' } });
    expect(await page.evaluate(() => window.events)).toEqual(['ready', 'processing', 'completed', 'closed']);
    expect(await page.locator('iframe, dialog').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('R-1 R-2 keeps the secret out of messages, attributes and records, and removes it from the address immediately', async () => {
    const url = await create();
    const secret = secretOf(url);
    await visit();
    await warm();
    await start(url);
    await cardNumber().waitFor();
    const readable = await page.evaluate(() => ({
      html: document.documentElement.outerHTML,
      posted: window.posted,
      entries: JSON.stringify(performance.getEntries()),
      frames: [...document.querySelectorAll('iframe')].map((each) => {
        try {
          return each.contentWindow?.location.href;
        } catch {
          return 'closed to this page';
        }
      }),
    }));
    expect(readable.posted.length).toBeGreaterThan(0);
    expect(readable.frames).toEqual(['closed to this page']);
    expect(JSON.stringify(readable)).not.toContain(secret);
    await expect.poll(() => inService().map((each) => new URL(each.url()).hash)).toEqual(['']);
    expect(await frame.locator('body').evaluate(() => location.pathname)).toBe(new URL(url).pathname);
  });

  it('R-60 shows the session again after the frame reloads', { tags: ['thorough'] }, async () => {
    await visit();
    await warm();
    await start(await create());
    await cardNumber().waitFor();
    await frame.locator('body').evaluate(() => void setTimeout(() => location.reload()));
    await expect.poll(() => requests).toEqual([...WARMED, ...OWN_PAGE]);
    await cardNumber().waitFor();
    await payByCard(frame);
    expect(errors).toEqual([]);
  });

  it('R-1 leaves nothing in the browser', { tags: 'thorough' }, async () => {
    await visit();
    await warm();
    await expect.poll(() => inService().length).toBe(1);
    const stored = await inService()[0]!.evaluate(async () => [
      document.cookie,
      ...['localStorage', 'sessionStorage'].map((store) => {
        try {
          return window[store as 'localStorage'].length;
        } catch {
          // Browsers store nothing for a cross-site frame.
          return 0;
        }
      }),
      JSON.stringify(history.state),
    ]);
    expect(stored).toEqual(['', 0, 0, 'null']);
    expect(await context.cookies()).toEqual([]);
  });

  it(
    'R-1 shows nothing of a session whose business unit does not allow the merchant’s page',
    { tags: ['thorough'] },
    async () => {
      await visit();
      await warm();
      await start(await create('payment', 'gas'));
      expect(await result()).toBeDefined();
      await expect.poll(() => page.evaluate(() => window.events)).toContain('error');
      await expect.poll(() => requests).toContain('421 /s/ID/api/session');
      expect(requests).not.toContain('200 /s/ID/api/session');
      expect(await close()).toMatchObject({ code: 'flow_failed', details: { reason: 'origin_not_allowed' } });
    },
  );

  it("R-1 does not show a stolen session on a stranger's or another business unit’s page", async () => {
    const url = new URL(await create());
    const fragment = `${url.pathname.split('/').pop()}/${url.hash.slice(1)}`;
    foreignOrigin.routes['/'] = '<!doctype html><title>Stranger</title><link rel="icon" href="data:,">';
    const attack = async (site: Origin, origin: string, refused?: string): Promise<void> => {
      requests = [];
      await visit(site);
      const address = `${service.url}/s/warm?scheme=light&origin=${encodeURIComponent(origin)}`;
      // First waits for its session, like the SDK's pages, then has it from the start.
      for (const steps of [[address, `${address}#${fragment}`], [`${address}&again#${fragment}`]]) {
        await page.evaluate(async (steps) => {
          document.querySelector('iframe')?.remove();
          const added = document.createElement('iframe');
          document.body.append(added);
          for (const step of steps) {
            await new Promise((resolve) => {
              added.addEventListener('load', resolve, { once: true });
              // No event reports that a frame stays empty or unchanged.
              setTimeout(resolve, 1_000);
              added.contentWindow!.location.replace(step);
            });
            added.contentWindow!.postMessage({ type: 'embedded-sessions:init' }, '*', [
              new MessageChannel().port2,
            ]);
          }
        }, steps);
        if (refused !== undefined) await expect.poll(() => requests).toContain(refused);
        for (const each of page.frames().slice(1)) {
          const text = await each
            .locator('body')
            .innerText({ timeout: 500 })
            .catch(() => '');
          expect(text).not.toMatch(/12\.34|Card number/);
        }
      }
      expect(requests.filter((each) => each.startsWith('200') && each.includes('/api/'))).toEqual([]);
    };
    await attack(foreignOrigin, merchant.url);
    await attack(foreignOrigin, foreignOrigin.url);
    await attack(neighbor, merchant.url);
    // This page runs and requests its session, but gets no response.
    await attack(neighbor, neighbor.url, '421 /s/ID/api/session');
  });

  once(
    'R-70 uses the appearance of the session’s business unit if the page may frame several',
    { tags: 'thorough' },
    async () => {
      await visit(town);
      for (const [unit, name, color] of [
        ['light', 'Town Light', 'rgb(170, 0, 0)'],
        ['waste', 'Town Waste', 'rgb(0, 170, 0)'],
      ]) {
        requests = [];
        await warm();
        await start(await create('payment', unit));
        await cardNumber().waitFor();
        await expect.poll(() => requests).toEqual(WARMED);
        expect(await frame.locator('.brand-name').allInnerTexts()).toEqual([name]);
        const pay = frame.getByRole('button', { name: /^Pay \$/ });
        expect(await pay.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(color);
        expect(await close()).toEqual({ result: { status: 'canceled', by: 'merchant' } });
      }
    },
  );

  it('R-1 opens two flows after one warm, and one frame after two', { tags: 'thorough' }, async () => {
    await visit();
    await Promise.all([warm(), warm()]);
    await warm();
    expect(await page.locator('iframe').count()).toBe(1);
    await expect.poll(() => requests).toEqual(['200 /s/warm']);
    for (const way of [WARMED, OWN_PAGE]) {
      await start(await create());
      await cardNumber().waitFor();
      await expect.poll(() => requests).toEqual(way);
      expect(await close()).toEqual({ result: { status: 'canceled', by: 'merchant' } });
      expect(await page.locator('iframe, dialog').count()).toBe(0);
      requests = [];
    }
    await warm();
    await start(await create());
    await cardNumber().waitFor();
    await expect.poll(() => requests).toEqual(WARMED);
  });

  it(
    'R-4 opens a session of another flow in its own page, or refuses it as usual',
    { tags: ['thorough'] },
    async () => {
      await visit();
      await warm();
      await start(await create('wallet'), undefined, 'startFlow');
      await frame.getByRole('heading', { name: 'Payment methods' }).waitFor();
      expect(await page.locator('iframe').count()).toBe(1);
      expect(await close()).toEqual({ result: { status: 'canceled', by: 'merchant' } });
      expect(await page.locator('iframe, dialog').count()).toBe(0);
      await warm();
      await start(await create('wallet'));
      expect(await result()).toEqual({ code: 'flow_failed', details: { reason: 'other_flow' } });
      expect(await page.locator('iframe').count()).toBe(0);
      expect(errors.filter((each) => !each.includes('421'))).toEqual([]);
    },
  );

  it('R-51 reports an expired session', { tags: 'thorough' }, async () => {
    const url = await create();
    await visit();
    await warm();
    await service.control.advance('72h');
    await start(url);
    await frame
      .getByText(/expired/)
      .first()
      .waitFor();
    await expect.poll(() => page.evaluate(() => window.events)).toContain('expired');
    expect(await close()).toEqual({ result: { status: 'expired' } });
  });

  once('R-7 a session of another environment is refused, and what waits still waits', async () => {
    await visit();
    await warm();
    await start((await create()).replace('/s/stg_', '/s/prd_'));
    expect(await result()).toMatchObject({ code: 'environment_mismatch' });
    await start(await create());
    await cardNumber().waitFor();
    await expect.poll(() => requests).toEqual(WARMED);
  });

  once('R-51 offers a new session if the merchant’s page can get one', { tags: ['thorough'] }, async () => {
    const url = await create();
    await visit();
    await warm();
    await service.control.advance('72h');
    await start(url, { canRenew: true });
    await frame.getByRole('button', { name: 'Start again' }).waitFor();
    expect(await frame.locator('.statement').innerText()).not.toContain('Go back');
    leave(pressIn(frame, 'Start again'));
    expect(await result()).toEqual({ result: { status: 'expired', renew: true } });
  });

  once(
    'R-51 offers to start again with a new session after too many attempts',
    { tags: 'thorough' },
    async () => {
      const session = await service.create('payment', { BusinessUnitSlug: WATER });
      for (let attempt = 0; attempt < 10; attempt++) await pay(session, DECLINED);
      await visit();
      await start(session.sessionUrl, { canRenew: true });
      await frame.getByText('You haven’t been charged.', { exact: true }).waitFor();
      leave(pressIn(frame, 'Start again'));
      expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer', renew: true } });
    },
  );

  once('R-70 offers after a payment what the merchant’s page can open', { tags: 'thorough' }, async () => {
    await visit();
    await warm();
    await start(await create(), { canOpen: ['autopay'] });
    await payByCard(frame);
    expect(await frame.getByRole('button', { name: 'Go paperless' }).count()).toBe(0);
    leave(pressIn(frame, 'Turn on AutoPay'));
    expect(await result()).toMatchObject({ result: { status: 'completed', next: 'autopay' } });
  });

  once(
    'R-70 applies a flow’s options even if the page was opened with others',
    { tags: 'thorough' },
    async () => {
      const spanish = { locale: 'es', appearance: { accent: '#0a5c36', colorScheme: 'dark' } };
      for (const [dress, options, way] of [
        [undefined, spanish, OWN_PAGE],
        [spanish, spanish, WARMED],
      ] as const) {
        await visit();
        await warm(dress);
        await expect.poll(() => requests.at(-1)).toBe('200 /s/warm');
        requests = [];
        await start(await create(), options);
        await frame.getByLabel('Número de tarjeta').waitFor();
        await expect.poll(() => requests).toEqual(way === WARMED ? way.slice(1) : way);
        expect(await frame.locator('html').getAttribute('data-scheme')).toBe('dark');
        const { color } = await frame
          .getByRole('button', { name: /^Pagar/ })
          .evaluate((button) => ({ color: getComputedStyle(button).backgroundColor }));
        expect(color).toBe('rgb(10, 92, 54)');
      }
    },
  );

  it(
    'R-1 reports that the page’s policy blocks the frame on click, not before',
    { tags: ['thorough'] },
    async () => {
      await installClock();
      await visit(merchant, '/frameless');
      const warmed = warm();
      await page.locator('iframe').waitFor({ state: 'attached' });
      await page.clock.fastForward(10_000);
      await warmed;
      await page.clock.resume();
      expect(await page.locator('iframe, dialog').count()).toBe(0);
      await start(await create());
      expect(await result()).toMatchObject({ code: 'csp_blocked' });
      expect(requests).toEqual([]);
    },
  );

  once('R-1 nothing is opened for a payer who saves data', { tags: 'thorough' }, async () => {
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
    );
    await visit();
    await warm();
    expect(await page.locator('iframe, dialog').count()).toBe(0);
    await start(await create());
    await cardNumber().waitFor();
    await expect.poll(() => requests).toEqual(OWN_PAGE);
  });

  once(
    'R-1 opens a page within a frame only if all pages around it have its origin',
    { tags: ['thorough'] },
    async () => {
      for (const outer of [merchant, foreignOrigin]) {
        outer.routes['/portal'] =
          `<!doctype html><link rel="icon" href="data:,"><iframe src="${merchant.url}/"></iframe>`;
        await visit(outer, '/portal');
        const inner = page.frame({ url: `${merchant.url}/` })!;
        await inner.waitForFunction(() => 'Service' in window);
        await inner.evaluate(() => window.Service.warm());
        expect(await inner.locator('iframe').count()).toBe(outer === merchant ? 1 : 0);
      }
      expect(errors).toEqual([]);
    },
  );

  once('R-92 tells a page that may frame nothing as much as any other', async () => {
    foreignOrigin.routes['/sdk'] =
      `<!doctype html><link rel="icon" href="data:,"><body><script src="${service.loaderUrl}"></script>`;
    await visit(foreignOrigin, '/sdk');
    await warm();
    await expect.poll(() => requests).toEqual(['200 /s/warm']);
    expect(errors).toEqual([]);
  });

  once('R-1 what was not used for five minutes goes, and may come again', { tags: 'thorough' }, async () => {
    await installClock();
    await visit();
    await warm();
    await page.clock.fastForward(200_000);
    // Another call of warm() restarts the timer.
    await warm();
    await page.clock.fastForward(200_000);
    expect(await page.locator('iframe').count()).toBe(1);
    await page.clock.fastForward(101_000);
    expect(await page.locator('iframe, dialog').count()).toBe(0);
    await warm();
    await start(await create());
    await cardNumber().waitFor();
    await expect.poll(() => requests).toEqual(['200 /s/warm', ...WARMED]);
  });

  it(
    'R-1 is used inline if the browser can move frames, and replaced otherwise',
    { tags: 'thorough' },
    async () => {
      for (const can of [true, false]) {
        await visit();
        const canMove = await page.evaluate((can) => {
          if (!can) delete (Element.prototype as { moveBefore?: unknown }).moveBefore;
          return 'moveBefore' in Element.prototype;
        }, can);
        await warm();
        await expect.poll(() => requests.at(-1)).toBe('200 /s/warm');
        requests = [];
        await start(await create(), { inline: true });
        const inline = page.frameLocator('#inline [data-state=ready] > iframe');
        await inline.getByLabel('Card number').waitFor();
        // There is no dialog with a close button over the header.
        expect(await inline.locator('html').getAttribute('data-inline')).toBe('');
        await expect.poll(() => requests).toEqual(canMove ? WARMED.slice(1) : OWN_PAGE);
        expect(await page.locator('iframe').count()).toBe(1);
        expect(await page.locator('dialog').count()).toBe(0);
        await payByCard(inline);
        expect(await result()).toMatchObject({ result: { status: 'completed' } });
      }
      expect(errors).toEqual([]);
    },
  );

  it('R-1 opens normally while the page is still loading', { tags: 'thorough' }, async () => {
    let pass = (): void => {};
    const passed = new Promise<void>((resolve) => (pass = resolve));
    await page.route('**/s/warm?*', async (route) => {
      await passed;
      await route.continue().catch(() => {});
    });
    await visit();
    const warmed = warm();
    await start(await create());
    await cardNumber().waitFor();
    await warmed;
    pass();
    await expect.poll(() => requests).toEqual(OWN_PAGE);
    expect(await page.locator('iframe').count()).toBe(1);
    await payByCard(frame);
  });

  once(
    'R-70 is replaced by the session’s own page if the languages differ',
    { tags: 'thorough' },
    async () => {
      await page.route('**/s/warm?*', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace('<html lang="en"', '<html lang="es"');
        await route.fulfill({ response, body });
      });
      await visit();
      await warm();
      await start(await create());
      await expect.poll(() => requests).toEqual([...WARMED, ...OWN_PAGE]);
      await payByCard(frame);
      pressDone(frame);
      expect(await result()).toMatchObject({ result: { status: 'completed' } });
    },
  );

  once(
    'R-61 offers a retry if the network was lost since, and then opens',
    { tags: 'thorough' },
    async () => {
      await installClock();
      await visit();
      await warm();
      await context.setOffline(true);
      await start(await create());
      // The timeout of a frame.
      await page.clock.fastForward(10_001);
      await page.getByText('This page couldn’t be loaded').waitFor();
      await context.setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await cardNumber().waitFor();
      await payByCard(frame);
    },
  );

  it(
    'R-1 is removed with the page, and does not block the back-forward cache',
    { tags: 'thorough' },
    async () => {
      // A window, because a headless browser keeps no page in its back/forward cache.
      const whole = await launch(engine, {
        needsWindow: true,
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
        // Playwright doesn't notice when Firefox restores a page from its cache.
        firefoxUserPrefs: { 'browser.sessionhistory.max_total_viewers': 0 },
      });
      onTestFinished(() => whole.close());
      await page.close();
      begin(await whole.newPage());
      await visit();
      await page.evaluate(() =>
        addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { persisted })),
      );
      await warm();
      await visit(merchant, '/elsewhere');
      await page.evaluate(() => history.back());
      await page.waitForURL(`${merchant.url}/`, { waitUntil: 'commit' });
      await page.waitForFunction(() => 'Service' in window);
      if (engine === 'chromium') await page.waitForFunction(() => 'persisted' in globalThis);
      expect(await page.locator('iframe').count()).toBe(0);
      await warm();
      // Like a client-side router that renders the next page.
      await page.evaluate(() => document.body.replaceChildren());
      await start(await create());
      await cardNumber().waitFor();
      expect(await page.locator('iframe').count()).toBe(1);
      await payByCard(frame);
    },
  );
});

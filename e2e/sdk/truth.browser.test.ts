/** while a payment may have been made, no page shows that nothing was charged, and no flow is canceled. */
import type { Browser, Frame, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CARD_DECLINED,
  CARD_OK,
  fillCard,
  firstOf,
  launch,
  leave,
  openTab,
  payByCard,
  pressPay,
  sessionFrame,
  startOrigin,
  startService,
  type Fault,
  type Origin,
  type Service,
} from '../harness/index.js';
import { CARD, pay, RETURNED } from '../pages/stage.js';

let browser: Browser;
let merchant: Origin;
let service: Service;
let page: Page;
let frame: FrameLocator;
let sessionUrl: string;

beforeAll(async () => {
  [browser, merchant] = await Promise.all([launch('chromium'), startOrigin({ host: 'localhost' })]);
  service = await startService({ allowedOrigins: [merchant.url] });
  merchant.routes['/'] =
    `<!doctype html><html lang="en"><title>Pay your bill</title><link rel="icon" href="data:,">
    <script src="${service.loaderUrl}"></script><script>
      window.events = [];
      for (const type of ['ready', 'processing', 'completed']) Service.on(type, () => events.push(type));
      window.start = (url, open, isInline) => {
        window.flow = Service[open](url, isInline ? { container: document.body } : {});
        window.result = flow.then((result) => result, ({ code }) => ({ code }));
      };
    </script></html>`;
});
afterAll(async () => {
  await browser.close();
  await Promise.all([merchant.stop(), service.stop()]);
});
beforeEach(async () => {
  drive(await openTab(browser, CALM));
  ({ sessionUrl } = await service.create('payment'));
});
afterEach(() => page.close());

/** Pages here wait long, and each frame of a spinner would take CPU time. */
const CALM = { reducedMotion: 'reduce' } as const;

function drive(tab: Page): void {
  page = tab;
  frame = sessionFrame(tab);
}

/** Has its own connections, because Chromium retries a request if a reused connection breaks. */
async function openFreshPage(): Promise<void> {
  await page.close();
  drive(await browser.newPage(CALM));
  // This import would leave a connection to reuse.
  await page.route('**/app/words.js*', (route) => route.abort());
}

/** Opens the session on the merchant's page. */
const start = async (tab = page, open = 'completePayment', isInline = false): Promise<void> => {
  await tab.goto(merchant.url);
  await startHere(tab, open, isInline);
};
const startHere = (tab = page, open = 'completePayment', isInline = false): Promise<void> =>
  tab.evaluate(
    ([url, method, inline]) =>
      (globalThis as unknown as { start(...all: unknown[]): void }).start(url, method, inline),
    [sessionUrl, open, isInline] as const,
  );
const path = (rest: string): string => `${new URL(sessionUrl).pathname}/api/${rest}`;
const fault = (fault: Fault): Promise<void> => service.control.fault(fault);
const result = (): Promise<unknown> =>
  page.evaluate(() => (globalThis as unknown as { result: Promise<unknown> }).result);
const abort = (): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as { flow: { close(): Promise<void> } }).flow.close());
const hosted = (): Frame => page.frames().at(-1) as Frame;
const reload = (): Promise<unknown> =>
  hosted()
    .evaluate(() => location.reload())
    .catch(() => undefined);
const shows = async (words: RegExp): Promise<void> => frame.getByText(words).first().waitFor();
/** What the session's page reported last. */
const state = (): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector<HTMLElement>('[data-page]')?.dataset['page']);
const paid = async (): Promise<string | undefined> =>
  (await service.control.state()).payments.find(({ sessionId }) => sessionUrl.includes(sessionId))?.status;

/** Loses the response to Pay after the charge. The page's next requests fail in `ways`. */
const payAndLose = async (ways: Omit<Fault, 'path'>): Promise<void> => {
  await openFreshPage();
  await start();
  await fillCard(frame);
  await fault({ kind: 'drop-after-commit', path: path('pay'), times: 1 });
  await fault({ ...ways, path: path('attempts/*') });
  await fault({ ...ways, path: path('session') });
  await pressPay(frame);
  await expect.poll(paid).toBe('succeeded');
};

/** On another device, whose page does not matter here. */
const payElsewhere = async (): Promise<void> => {
  expect(await pay({ sessionUrl }, CARD)).toMatchObject({ status: 'succeeded' });
};

describe('R-60 after a lost response to Pay', () => {
  const BAD: [string, Omit<Fault, 'path'>][] = [
    ['returns 503', { kind: 'status', status: 503, times: 100 }],
    ['takes long', { kind: 'latency', ms: 8_000, times: 100 }],
    ['is cut off', { kind: 'drop-before-commit', times: 100 }],
  ];
  afterEach(() => service.control.reset());

  it.each(firstOf(1, BAD))(
    'closing is never canceled if the frame reloads and its status request %s',
    async (_, ways) => {
      await payAndLose(ways);
      await reload();
      await abort();
      expect(await result()).toEqual({ status: 'unknown' });
    },
  );

  it(
    'a reloaded frame that can’t read its session does not say that nothing was charged',
    { tags: 'thorough' },
    async () => {
      await payAndLose({ kind: 'status', status: 503, times: 100 });
      await reload();
      await shows(/can’t connect right now/);
      expect(await frame.locator('body').innerText()).not.toMatch(/charged/i);
      await abort();
      expect(await result()).toEqual({ status: 'unknown' });
    },
  );

  it('another frame of the session looks up the payment and reports it', { tags: 'thorough' }, async () => {
    await payAndLose({ kind: 'latency', ms: 300, times: 1 });
    await abort();
    expect(await result()).toEqual({ status: 'unknown' });
    await startHere();
    await shows(/Payment complete/);
  });

  it(
    'an attempt that never arrived is abandoned before the payer can leave with "canceled"',
    { tags: ['thorough'] },
    async () => {
      await openFreshPage();
      await start();
      await fillCard(frame);
      await fault({ kind: 'drop-before-commit', path: path('pay'), times: 1 });
      const sent = page.waitForRequest((request) => request.url().endsWith('/pay'));
      await pressPay(frame);
      const request = await sent;
      await shows(/didn’t reach us/);
      await abort();
      expect(await result()).toEqual({ status: 'canceled', by: 'merchant' });
      // The delayed request arrives.
      const late = await fetch(request.url(), {
        method: 'POST',
        headers: { ...(await request.allHeaders()), 'sec-fetch-site': 'same-origin' } as Record<
          string,
          string
        >,
        body: request.postData() as string,
      });
      expect(late.status).toBe(409);
      expect(await paid()).toBeUndefined();
    },
  );
});

describe('R-60 if another tab of the session pays', () => {
  let other: Page;
  beforeEach(async () => {
    other = await page.context().newPage();
  });
  afterEach(() => other.close());

  it.each(
    firstOf(1, [
      [CARD_OK, 'Payment complete', 'completed'],
      ['4000 0000 0000 0119', 'Your payment is being processed', 'unknown'],
    ]),
  )('%s, this one shows that and is not canceled', async (card, title, status) => {
    await start();
    await frame.getByLabel('Card number').waitFor();
    await start(other);
    await fillCard(sessionFrame(other), card);
    await pressPay(sessionFrame(other));
    await frame.getByRole('heading', { name: title }).waitFor();
    await abort();
    expect(await result()).toMatchObject({ status });
  });

  it(
    'closing this one is unknown until the service can know of the payment',
    { tags: ['thorough'] },
    async () => {
      await start();
      await frame.getByLabel('Card number').waitFor();
      await start(other);
      await fillCard(sessionFrame(other));
      await fault({ kind: 'latency', ms: 2_500, path: path('pay'), times: 1 });
      await pressPay(sessionFrame(other));
      await expect.poll(state).toBe('unsure');
      // This page has asked the service, which knows of no payment yet.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await paid()).toBeUndefined();
      await abort();
      expect(await result()).toEqual({ status: 'unknown' });
      await expect.poll(paid).toBe('succeeded');
    },
  );

  it(
    'closing this one is canceled again after the other one’s payment was declined',
    { tags: 'thorough' },
    async () => {
      await start();
      await frame.getByLabel('Card number').waitFor();
      await start(other);
      await fillCard(sessionFrame(other), CARD_DECLINED);
      await pressPay(sessionFrame(other));
      await sessionFrame(other)
        .getByText(/declined/i)
        .first()
        .waitFor();
      await expect.poll(state).toBe('form');
      await abort();
      expect(await result()).toEqual({ status: 'canceled', by: 'merchant' });
    },
  );

  it(
    'closing this one is unknown while it asks the service, because the payer has returned',
    { tags: ['thorough'] },
    async () => {
      await start();
      await frame.getByLabel('Card number').waitFor();
      await payElsewhere();
      await page.route('**/api/session', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        await route.continue().catch(() => undefined);
      });
      await hosted().evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await abort();
      expect(await result()).toEqual({ status: 'unknown' });
    },
  );

  it.each(['', ' and had asked whether to leave'])(
    'or another device, this one shows that when the payer returns to it%s',
    { tags: 'thorough' },
    async (hadAsked) => {
      await start();
      await frame.getByLabel('Card number').fill(hadAsked && '4242');
      if (hadAsked) {
        await page.getByRole('button', { name: 'Close' }).click();
        await frame.getByRole('dialog').waitFor();
      }
      await payElsewhere();
      await hosted().evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await frame.getByRole('heading', { name: 'Payment complete' }).waitFor();
      await expect.poll(() => frame.getByRole('dialog').count()).toBe(0);
    },
  );

  it(
    'or another device, this one denies no charge if its own payment never arrives',
    { tags: ['thorough'] },
    async () => {
      await start();
      await fillCard(frame);
      await payElsewhere();
      await page.route('**/api/pay', (route) => route.abort(), { times: 1 });
      await pressPay(frame);
      await frame.getByRole('heading', { name: 'Payment complete' }).waitFor();
      await abort();
      expect(await result()).toMatchObject({ status: 'completed' });
    },
  );
});

describe('R-60 in a browser that denies frames storage, a payment that is on its way', () => {
  let release!: () => void;
  /** The service gets the request although the frame that sent it is gone. */
  let arrived: Promise<Response>;

  beforeEach(async () => {
    await page.addInitScript(() => {
      if (window === top) return;
      for (const name of ['localStorage', 'sessionStorage', 'BroadcastChannel'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('Access is denied for this document.', 'SecurityError');
          },
        });
    });
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const sent = new Promise<void>((resolve) => {
      void page.route(
        '**/api/pay',
        async (route) => {
          const request = route.request();
          const headers = { ...(await request.allHeaders()), 'sec-fetch-site': 'same-origin' };
          const body = request.postData() as string;
          arrived = isReleased.then(() => fetch(request.url(), { method: 'POST', headers, body }));
          resolve();
        },
        { times: 1 },
      );
    });
    await start(page, 'completePayment', true);
    await fillCard(frame);
    await pressPay(frame);
    await sent;
    // Until then, the script does not know the attempt.
    await expect.poll(() => page.evaluate('events')).toContain('processing');
  });

  it.each([
    [
      'moves the frame',
      () => page.evaluate(() => document.body.append(document.querySelector('[data-inline]') as Element)),
    ],
  ])('is shown, or never arrives, if the page %s', { tags: ['thorough'] }, async (_, recreate) => {
    await recreate();
    await shows(/didn’t reach us|Checking/);
    release();
    const { status } = await arrived;
    await abort();
    expect([(await result()) as object, status, await paid()]).toEqual(
      status === 409
        ? [{ status: 'canceled', by: 'merchant' }, 409, undefined]
        : [{ status: expect.stringMatching(/^(completed|unknown)$/) }, 200, 'succeeded'],
    );
  });
});

/** Inline, because a modal waits before it offers to try again. */
it.each(
  firstOf(1, [
    [404, 'not_found'],
    [429, 'rate_limited'],
  ]),
)(
  'R-60 a page whose session was refused with %i can try again, and reports no failure',
  { tags: ['thorough'] },
  async (status, code) => {
    await page.route(
      '**/api/session',
      (route) => route.fulfill({ status, json: { ok: false, errors: [{ code }] } }),
      { times: 1 },
    );
    await start(page, 'completePayment', true);
    await frame.getByRole('button', { name: 'Try again' }).press('Enter');
    await payByCard(frame);
    await abort();
    expect(await result()).toMatchObject({ status: 'completed' });
  },
);

it('R-60 a modal that could not read its session can try again', { tags: 'thorough' }, async () => {
  await page.route(
    '**/api/session',
    (route) => route.fulfill({ status: 404, json: { ok: false, errors: [{ code: 'not_found' }] } }),
    { times: 1 },
  );
  await start();
  await frame.getByRole('button', { name: 'Try again' }).press('Enter');
  await fillCard(frame, '4000 0000 0000 0119');
  await pressPay(frame);
  await shows(/is being processed/);
  await abort();
  expect(await result()).toEqual({ status: 'unknown' });
});

it(
  'R-60 a change whose response is lost is not canceled when the payer leaves',
  { tags: ['thorough'] },
  async () => {
    await openFreshPage();
    ({ sessionUrl } = await service.create('paperless'));
    await start(page, 'startFlow');
    await page.route('**/api/paperless', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await frame.getByRole('button', { name: 'Go paperless' }).click();
    await shows(/Your connection was lost/);
    await abort();
    expect(await result()).toEqual({ status: 'unknown' });
  },
);

it(
  'R-60 asks before it drops what is typed after a lost response, without saying that it is not saved',
  { tags: 'thorough' },
  async () => {
    await openFreshPage();
    ({ sessionUrl } = await service.create('wallet'));
    await start(page, 'startFlow');
    await frame.getByRole('button', { name: 'Add a payment method' }).press('Enter');
    await fillCard(frame);
    await page.route('**/api/methods', (route) => route.abort());
    await frame.getByRole('button', { name: 'Save payment method' }).press('Enter');
    await shows(/Your connection was lost/);
    await frame.getByLabel('Card number').press('Escape');
    await shows(/Leave without saving/);
    expect(await frame.getByRole('dialog').innerText()).not.toContain('won’t be saved');
    await frame.getByRole('button', { name: 'Leave', exact: true }).click();
    expect(await result()).toEqual({ status: 'unknown' });
  },
);

it(
  'R-60 is still unknown after Cancel, which shows what a lost change has stored',
  { tags: 'thorough' },
  async () => {
    await openFreshPage();
    ({ sessionUrl } = await service.create('wallet'));
    await start(page, 'startFlow');
    await frame.getByRole('button', { name: 'Add a payment method' }).click();
    await fillCard(frame);
    await page.route('**/api/methods', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await frame.getByRole('button', { name: 'Save payment method' }).click();
    await shows(/Your connection was lost/);
    await frame.getByRole('button', { name: 'Cancel' }).click();
    await shows(/Visa ending in 4242/);
    await abort();
    expect(await result()).toEqual({ status: 'unknown' });
  },
);

describe('R-60 closing before the session is read', () => {
  afterEach(() => service.control.reset());

  it('is canceled if the page can read the session in time', { tags: 'thorough' }, async () => {
    await fault({ kind: 'latency', ms: 150, path: path('session'), times: 1 });
    await start();
    // Before the payer sees it.
    await page.frameLocator('iframe').locator('#page').waitFor();
    await abort();
    expect(await result()).toMatchObject({ status: expect.stringMatching(/^(canceled|unknown)$/) });
  });

  it('is unknown otherwise', { tags: ['thorough'] }, async () => {
    await fault({ kind: 'status', status: 503, path: path('session'), times: 100 });
    await start();
    await shows(/can’t connect right now/);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    expect(await result()).toEqual({ status: 'unknown' });
  });
});

it(
  'R-60 a frame that reloads during a payment does not report that nothing is in flight',
  { tags: 'thorough' },
  async () => {
    const events = (): Promise<unknown> =>
      page.evaluate(() => (globalThis as unknown as { events: string[] }).events);
    await start();
    await fillCard(frame, '4000 0000 0000 0119');
    await pressPay(frame);
    await shows(/is being processed/);
    const isNew = page.waitForResponse((response) => response.url().endsWith(path('session')));
    await reload();
    await isNew;
    await shows(/is being processed/);
    expect(await events()).toEqual(['ready', 'processing']);
    await abort();
    expect(await result()).toEqual({ status: 'unknown' });
  },
);

it(
  'R-60 a session that was paid elsewhere does not expire in another tab',
  { tags: ['thorough'] },
  async () => {
    await openFreshPage();
    await page.clock.install();
    await page.goto(sessionUrl);
    await page.getByLabel('Card number').waitFor();
    await payElsewhere();
    await page.clock.fastForward(31 * 60_000);
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  },
);

it(
  'R-51 the payer can start over after a payment that the bank has returned',
  { tags: ['thorough'] },
  async () => {
    const session = await service.create('payment');
    await pay(session, RETURNED);
    await service.control.advance('3d');
    await page.goto(merchant.url);
    await page.evaluate((url) => {
      const { Service } = globalThis as unknown as {
        Service: { completePayment(url: string, options: object): Promise<unknown> };
      };
      Object.assign(globalThis, { result: Service.completePayment(url, { canRenew: true }) });
    }, session.sessionUrl);
    leave(frame.getByRole('button', { name: 'Pay again' }).click());
    expect(await result()).toEqual({ status: 'canceled', by: 'payer', renew: true });
  },
);

it('R-60 a tab that wakes after its receipt is gone shows that it paid', { tags: 'thorough' }, async () => {
  await start();
  await fillCard(frame);
  await page.route('**/api/pay', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.route('**/api/attempts/**', (route) => route.abort());
  await pressPay(frame);
  await shows(/We still can’t connect/);
  await service.control.advance('25h');
  await page.unroute('**/api/attempts/**');
  await frame.getByText('This payment went through').first().waitFor();
});

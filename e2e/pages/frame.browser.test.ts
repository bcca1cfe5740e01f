/** Tests the page's side of the frame protocol with a merchant page that implements the SDK's side. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  CARD_OK,
  fillCard,
  firstOf,
  holdResponses,
  launch,
  openTab,
  type Origin,
  pressIn,
  pressPay,
  type Service,
  startOrigin,
  startService,
} from '../harness/index.js';
import { focusOn } from './keyboard.js';

type PageMessage = { type: string } & Record<string, unknown>;
interface Merchant {
  received: PageMessage[];
  port: MessagePort;
  init(from?: Window): void;
}

const SITE = `<!doctype html><title>Shop</title><iframe title="Session" width="460" height="900"></iframe>
<iframe title="Other" src="/other" name="other"></iframe>
<script>
  const merchant = (window.merchant = { received: [] });
  const frame = document.querySelector('iframe');
  merchant.init = (from = window) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => { merchant.received.push({ ...data, ...(from !== window && { toAnother: true }) }); merchant.port = port1; };
    from.postTo(frame.contentWindow, port2);
  };
  window.postTo = (target, port) => target.postMessage({ type: 'embedded-sessions:init' }, merchant.origin, [port]);
  merchant.open = (url) => { merchant.origin = new URL(url).origin; frame.src = url; };
</script>`;
const OTHER = `<!doctype html><title>Other</title><script>
  window.postTo = (target, port) => target.postMessage({ type: 'embedded-sessions:init' }, parent.merchant.origin, [port]);
</script>`;

let browser: Browser;
let service: Service;
let shop: Origin;
let foreignOrigin: Origin;

beforeAll(async () => {
  const routes = { '/': SITE, '/other': OTHER };
  [browser, shop, foreignOrigin] = await Promise.all([
    launch('chromium'),
    startOrigin({ host: 'localhost', routes }),
    startOrigin({ host: 'localhost', routes }),
  ]);
  service = await startService({ allowedOrigins: [shop.url] });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([shop?.stop(), foreignOrigin?.stop()]);
  await browser?.close();
});

async function embed(url: string, site: Pick<Origin, 'url'> = shop, blank?: Page): Promise<Page> {
  const page = blank ?? (await openTab(browser));
  await page.goto(site.url);
  await page.evaluate(
    (url) => (window as unknown as { merchant: { open(url: string): void } }).merchant.open(url),
    url,
  );
  return page;
}

const received = (page: Page): Promise<PageMessage[]> =>
  page.evaluate(() => (window as unknown as { merchant: Merchant }).merchant.received);
const typesReceived = async (page: Page): Promise<string[]> => (await received(page)).map(({ type }) => type);
const postedStates = async (page: Page): Promise<unknown[]> =>
  (await received(page)).filter(({ type }) => type === 'state').map(({ state }) => state);
const init = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { merchant: Merchant }).merchant.init());
const close = (page: Page) => page.close();

async function connected(body: Record<string, unknown> = {}): Promise<{ page: Page; secret: string }> {
  const { sessionUrl } = await service.create('payment', body);
  const page = await embed(sessionUrl);
  await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
  await init(page);
  await expect.poll(() => typesReceived(page)).toContain('ready');
  return { page, secret: new URL(sessionUrl).hash.slice(1) };
}
/** Axe's violations in the session's frame. */
const axeOf = async (page: Page): Promise<string[]> => {
  const frame = page.frames().find((frame) => frame.url().includes('/s/'));
  if (frame === undefined) throw new Error('There is no session in a frame.');
  return axeViolations(frame);
};
const frameOf = (page: Page) => page.frameLocator('iframe[title="Session"]');

/** Waits for the page's script. Its skeleton is there before. */
async function listening(page: Page): Promise<void> {
  await frameOf(page).locator('.skeleton').waitFor();
  await page
    .frames()
    .find((frame) => frame.url().includes('/s/'))
    ?.waitForLoadState('domcontentloaded');
}

describe('a page in a frame', () => {
  it(
    'R-30 reports its height, a payment before it is sent, and the verdict with its metadata',
    { tags: ['thorough'] },
    async () => {
      const { page, secret } = await connected({
        ClientReference: 'ref-frame-1',
        CustomMeta: { order: 7 },
        Charges: [{ Amount: 1234, CustomMeta: { line: 'a' } }],
      });
      const send = await holdResponses(page, '**/api/pay');
      await fillCard(frameOf(page));
      const paying = page.waitForRequest('**/api/pay');
      await pressPay(frameOf(page));
      await paying;
      // Message and request use different channels, so delay the request until the merchant's page has the message.
      await expect.poll(() => postedStates(page)).toEqual(['form', 'processing']);
      send();
      await frameOf(page).getByRole('heading', { name: 'Payment complete' }).waitFor();
      await expect.poll(() => postedStates(page)).toEqual(['form', 'processing', 'done']);
      const messages = await received(page);
      expect(messages[0]).toEqual({
        type: 'ready',
        lang: 'en',
        radius: '10px',
        flow: 'payment',
        fills: false,
      });
      expect(messages.find(({ type }) => type === 'completed')).toMatchObject({
        sessionId: expect.stringMatching(/^stg_/),
        detail: {
          Status: 'Succeeded',
          ClientReference: 'ref-frame-1',
          CustomMeta: { order: 7 },
          Charges: [{ Amount: 1234, CustomMeta: { line: 'a' } }],
        },
      });
      const heights = messages.filter(({ type }) => type === 'resize').map(({ height }) => height as number);
      expect(heights.length).toBeGreaterThan(1);
      expect(heights.every((height) => Number.isInteger(height) && height > 100)).toBe(true);
      await pressIn(frameOf(page), 'Done');
      await expect.poll(() => received(page)).toContainEqual({ type: 'close-request', reason: 'done' });
      const everything = JSON.stringify(await received(page));
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(CARD_OK.replaceAll(' ', ''));
      expect(everything).not.toContain('4242');
      await close(page);
    },
  );

  it(
    'R-30 reports its height when its form is shown, not that of the skeleton',
    { tags: 'thorough' },
    async () => {
      const { sessionUrl } = await service.create('payment', {
        PaymentDescriptor: 'Bill of November 2026',
        Charges: [
          {
            Amount: 1234,
            Description: 'Water',
            ClientAccount: { AccountNumber: 'F-2', Name: 'Dana Reyes', Balance: 9 },
          },
        ],
      });
      const page = await browser.newPage();
      await page.clock.install();
      const respond = await holdResponses(page, '**/api/session');
      await embed(sessionUrl, shop, page);
      await listening(page);
      await init(page);
      await expect.poll(() => typesReceived(page)).toContain('ready');
      await page.clock.runFor(5_000);
      expect(await typesReceived(page)).not.toContain('resize');

      const late = page.waitForResponse('**/assets/late-*');
      respond();
      await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
      await late;
      await frameOf(page).getByText('Details', { exact: true }).click();
      await frameOf(page).getByText('Balance').waitFor();
      const heights = (await received(page)).filter(({ type }) => type === 'resize');
      expect(heights).toHaveLength(2);
      await close(page);
    },
  );

  it('requests to be closed on Escape, wherever the focus is', { tags: ['thorough'] }, async () => {
    const { page } = await connected();
    await frameOf(page).getByLabel('Name on card').focus();
    await page.keyboard.press('Escape');
    await expect
      .poll(async () => (await received(page)).at(-1))
      .toEqual({ type: 'close-request', reason: 'escape' });
    await close(page);
  });

  it(
    'R-60 handles Escape while its texts load, and doesn’t mention a payment before',
    { tags: 'thorough' },
    async () => {
      const { sessionUrl } = await service.create('payment');
      const page = await openTab(browser);
      const send = await holdResponses(page, '**/assets/text-*');
      await embed(sessionUrl, shop, page);
      await expect
        .poll(async () => {
          await init(page);
          return typesReceived(page);
        })
        .toContain('ready');
      await page.evaluate(() => document.querySelector('iframe')?.focus());
      // The frame is in another process, which learns a little later that it has the focus.
      const hasFocus = () =>
        frameOf(page)
          .locator('html')
          .evaluate(() => document.hasFocus());
      await expect.poll(hasFocus).toBe(true);
      await page.keyboard.press('Escape');
      await expect.poll(() => received(page)).toContainEqual({ type: 'close-request', reason: 'escape' });
      await page.evaluate(() =>
        (window as unknown as { merchant: Merchant }).merchant.port.postMessage({ type: 'close' }),
      );
      expect(await received(page)).not.toContainEqual({ type: 'state', state: 'form', reply: true });
      send();
      await expect.poll(() => received(page)).toContainEqual({ type: 'state', state: 'form', reply: true });
      await close(page);
    },
  );

  it(
    'Escape closes a confirmation first and then the page, and Done reports the verdict and closes',
    { tags: ['thorough'] },
    async () => {
      const { sessionUrl } = await service.create('paperless', {
        ClientUser: { EmailAddress: 'frame@example.com' },
        SyncAccount: true,
        ClientAccount: { AccountNumber: 'F-1' },
      });
      const page = await embed(sessionUrl);
      const form = frameOf(page);
      await pressIn(form, 'Go paperless');
      await pressIn(form, 'Go back to paper bills');
      await init(page);
      await expect.poll(() => typesReceived(page)).toContain('ready');
      const question = form.getByRole('group', { name: /on paper again/ });
      await focusOn(question);
      await question.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await typesReceived(page)).not.toContain('close-request');
      await page.keyboard.press('Escape');
      await expect.poll(() => received(page)).toContainEqual({ type: 'close-request', reason: 'escape' });
      await pressIn(form, 'Done');
      await expect.poll(() => received(page)).toContainEqual({ type: 'close-request', reason: 'done' });
      const types = await typesReceived(page);
      expect(types.lastIndexOf('completed')).toBeGreaterThan(types.indexOf('ready'));
      expect(types.lastIndexOf('completed')).toBeLessThan(types.lastIndexOf('close-request'));
      await close(page);
    },
  );

  it('has no axe violation', { tags: 'thorough' }, async () => {
    const { page } = await connected();
    expect(await axeOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeOf(page)).toEqual([]);
    await close(page);
  });

  it('focuses the first field on request', { tags: 'thorough' }, async () => {
    const { page } = await connected();
    await page.evaluate(() =>
      (window as unknown as { merchant: Merchant }).merchant.port.postMessage({ type: 'focus' }),
    );
    const focused = () =>
      frameOf(page)
        .locator(':focus')
        .evaluate((element) => element.tagName);
    await expect.poll(focused).toBe('H1');
    await close(page);
  });

  it('keeps the focus on the heading when its session arrives later', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await openTab(browser);
    const respond = await holdResponses(page, '**/api/session');
    await embed(sessionUrl, shop, page);
    await listening(page);
    await init(page);
    await expect.poll(() => typesReceived(page)).toContain('ready');
    await page.evaluate(() =>
      (window as unknown as { merchant: Merchant }).merchant.port.postMessage({ type: 'focus' }),
    );
    await expect.poll(() => frameOf(page).locator('h1:focus').count()).toBe(1);
    respond();
    await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
    await expect.poll(() => frameOf(page).locator(':focus').innerText()).toBe('Pay Harborlight Water');
    await close(page);
  });

  it('reports its state before it is removed, and starts no payment after that', async () => {
    const { page } = await connected();
    let paid = 0;
    await page.route('**/api/pay', (route) => {
      paid++;
      return route.continue();
    });
    await fillCard(frameOf(page));
    const before = (await received(page)).length;
    await page.evaluate(() =>
      (window as unknown as { merchant: Merchant }).merchant.port.postMessage({ type: 'close' }),
    );
    await expect
      .poll(async () => (await received(page)).slice(before))
      .toContainEqual({ type: 'state', state: 'form', reply: true });
    await pressPay(frameOf(page));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    expect(paid).toBe(0);
    await close(page);
  });

  it('accepts only the first init, and only from its parent', async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await embed(sessionUrl);
    await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
    await page.evaluate(() => {
      const { merchant } = window as unknown as { merchant: Merchant };
      merchant.init((window as unknown as { other: Window }).other);
    });
    await init(page);
    await expect.poll(() => typesReceived(page)).toContain('ready');
    await init(page);
    await frameOf(page).getByLabel('Name on card').fill('x');
    await page.keyboard.press('Escape');
    await expect.poll(() => typesReceived(page)).toContain('close-request');
    // The page replied only on the first port of its parent.
    expect((await received(page)).filter(({ type }) => type === 'ready')).toEqual([
      { type: 'ready', lang: 'en', radius: '10px', flow: 'payment', fills: false },
    ]);
    await close(page);
  });

  it(
    'R-56 reports a change to the account as in flight until it has its response',
    { tags: ['thorough'] },
    async () => {
      const { sessionUrl } = await service.create('paperless');
      const page = await embed(sessionUrl);
      const frame = frameOf(page);
      await frame.getByRole('button', { name: 'Done' }).waitFor();
      await init(page);
      // A press before the page has its port is reported without the form before it.
      await expect.poll(() => postedStates(page)).toEqual(['form']);
      const states = ['form'];
      for (const [name, after] of [
        ['Go paperless', 'form'],
        ['Done', 'done'],
      ] as const) {
        const send = await holdResponses(page, '**/api/**', { times: 1 });
        await pressIn(frame, name);
        states.push('processing');
        await expect.poll(() => postedStates(page)).toEqual(states);
        send();
        // A press before the response is reported would be ignored.
        states.push(after);
        await expect.poll(() => postedStates(page)).toEqual(states);
      }
      await close(page);
    },
  );

  it('reports an expired session, and one that cannot be opened', { tags: ['thorough'] }, async () => {
    const { sessionUrl } = await service.create('payment');
    const unknown = await embed(sessionUrl.replace(/#.*/, '#wrong'));
    await frameOf(unknown).getByRole('heading', { name: 'This link doesn’t work' }).waitFor();
    await init(unknown);
    await expect.poll(() => typesReceived(unknown)).toContain('error');
    await close(unknown);
    await service.control.advance('31m');
    const expired = await embed(sessionUrl);
    await frameOf(expired).getByRole('heading', { name: 'This session has expired' }).waitFor();
    const back = frameOf(expired).getByRole('button', { name: 'Back to Harborlight Water' });
    // Nobody listens yet, so it would do nothing.
    expect(await back.count()).toBe(0);
    await init(expired);
    await expect.poll(() => typesReceived(expired)).toContain('expired');
    await back.click();
    await expect.poll(() => received(expired)).toContainEqual({ type: 'close-request', reason: 'cancel' });
    await close(expired);
  });
});

describe('a page that is framed incorrectly', () => {
  it('explains the problem if no page connects to it', { tags: ['thorough'] }, async () => {
    const { sessionUrl } = await service.create('payment');
    const context = await browser.newContext();
    await context.clock.install();
    const page = await context.newPage();
    await page.goto(shop.url);
    await page.evaluate(
      (url) => (document.querySelector('iframe') as HTMLIFrameElement).setAttribute('src', url),
      sessionUrl,
    );
    await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
    await context.clock.runFor(11_000);
    await frameOf(page).getByRole('heading', { name: 'We couldn’t open this page' }).waitFor();
    expect(await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).isVisible()).toBe(false);
    await context.close();
  });

  it('is not shown to an origin that the business unit does not allow', async () => {
    const { sessionUrl } = await service.create('payment');
    const refused: string[] = [];
    const page = await openTab(browser);
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(foreignOrigin.url);
    await page.evaluate(
      (url) => (document.querySelector('iframe') as HTMLIFrameElement).setAttribute('src', url),
      sessionUrl,
    );
    await expect.poll(() => refused.join()).toContain('frame-ancestors');
    expect(await frameOf(page).getByRole('button').count()).toBe(0);
    await close(page);
  });

  it(
    'explains the problem to the https: page of an origin that is allowed as http:, which browsers let through',
    { tags: 'thorough' },
    async () => {
      // Otherwise, a page of another host may not load the service's page from this machine.
      const own = await launch('chromium', { args: ['--disable-features=LocalNetworkAccessChecks'] });
      const other = await startService({ allowedOrigins: ['http://shop.example'] });
      const { sessionUrl } = await other.create('payment');
      const page = await own.newPage();
      const url = 'https://shop.example';
      await page.route(`${url}/`, (route) => route.fulfill({ contentType: 'text/html', body: SITE }));
      await embed(sessionUrl, { url }, page);
      await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
      await init(page);
      await frameOf(page).getByRole('heading', { name: 'This page can’t be opened here' }).waitFor();
      await frameOf(page).getByText(`add ${url} to the business unit’s allowed origins`).waitFor();
      expect(await typesReceived(page)).toEqual([]);
      await Promise.all([own.close(), other.stop()]);
    },
  );

  it.each(firstOf(1, ['an incomplete link', 'an unknown session']))(
    'leads back to the page with the link to %s',
    { tags: ['thorough'] },
    async (what) => {
      const { sessionUrl } = await service.create('payment');
      const address =
        what === 'an unknown session' ? sessionUrl.replace(/stg_\w/, 'stg_0') : sessionUrl.split('#')[0];
      shop.routes['/links'] = `<!doctype html><title>Bills</title><a href="${address}">Pay</a>`;
      const page = await openTab(browser);
      await page.goto(`${shop.url}/links`);
      await page.getByRole('link').click();
      await page.getByRole('button', { name: 'Go back' }).click();
      await page.waitForURL(`${shop.url}/links`);
      // Without such a page.
      await page.goto(address!);
      await page.getByText('You can close this page.').waitFor();
      await close(page);
    },
  );

  it('takes no payment and says why if the browser shows it anyway', async () => {
    const { sessionUrl } = await service.create('payment', {
      SuccessUrl: 'https://water.example/paid',
      ReturnUrl: 'https://water.example/bill',
    });
    const page = await openTab(browser);
    await page.route(/\/s\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await embed(sessionUrl, foreignOrigin, page);
    await frameOf(page).getByRole('button', { name: 'Pay $12.34' }).waitFor();
    await init(page);
    await frameOf(page).getByRole('heading', { name: 'This page can’t be opened here' }).waitFor();
    const back = frameOf(page).getByRole('link', { name: /^Back to/ });
    expect(await back.getAttribute('href')).toBe('https://water.example/bill');
    expect(await back.getAttribute('target')).toBe('_top');
    expect(await frameOf(page).getByText(foreignOrigin.url).isVisible()).toBe(true);
    expect(await axeOf(page)).toEqual([]);
    expect(await typesReceived(page)).toEqual([]);
    await close(page);
  });
});

it('works top-level without a parent', { tags: ['thorough'] }, async () => {
  const { sessionUrl } = await service.create('payment');
  const context = await browser.newContext();
  await context.clock.install();
  const page = await context.newPage();
  await page.goto(sessionUrl);
  await page.getByRole('button', { name: 'Pay $12.34' }).waitFor();
  await context.clock.runFor(60_000);
  expect(await page.getByRole('button', { name: 'Pay $12.34' }).isVisible()).toBe(true);
  await context.close();
});

/** What a payer sees, in a merchant's modal and inline. */
import { randomUUID } from 'node:crypto';
import type { Flow } from '@embedded-sessions/server-types';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  BANK_OK,
  CARD_DECLINED,
  fillBank,
  fillCard,
  firstOf,
  IS_MATRIX,
  launch,
  leave,
  MATRIX_ENGINES,
  pressPay,
  sessionFrame,
  startOrigin,
  startService,
  type Origin,
  type Service,
  openTab,
} from '../harness/index.js';
import { focusOn } from './keyboard.js';
import {
  ask,
  BANK,
  CARD,
  expiredCard,
  pay,
  RETURNED,
  save,
  schedule,
  someAccount,
  someCustomer,
  visit,
} from './stage.js';

let browser: Browser;
let shop: Origin;
let service: Service;
/** Tests move its clock. */
let later: Service;

interface Shop {
  /** All heights of the frame so far, px. */
  heights: number[];
  /** Layout shift since the frame was added to the page. */
  shift: number;
}

const NORTH = { slug: 'north', name: 'North Water', countries: ['US', 'CA', 'GB'] };

/** Opens a session in the modal, or inline below a block of the height in `?space=`. */
const SHOP = (sdk: string): string => `<!doctype html><html lang="en"><title>Shop</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><h1>Shop</h1>
<div id="space" style="height:900px"></div><div id="inline"></div><div style="height:900px">Below</div>
<script src="${sdk}"></script><script>
  const heights = (window.heights = []);
  const space = new URLSearchParams(location.search).get('space');
  if (space) document.querySelector('#space').style.height = space + 'px';
  window.shift = 0;
  let seen = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, value } of list.getEntries()) if (seen && startTime > seen) window.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  const observe = () => {
    const frame = document.querySelector('iframe');
    // Ignores the shift from adding the frame, because reserving its space is up to the merchant.
    if (frame && !seen) requestAnimationFrame((next) => (seen ||= next + 1));
    if (frame && getComputedStyle(frame).opacity === '1') {
      const { height } = frame.getBoundingClientRect();
      if (height !== heights.at(-1)) heights.push(height);
    }
    requestAnimationFrame(observe);
  };
  observe();
</script></html>`;

beforeAll(async () => {
  [browser, shop, later] = await Promise.all([launch('chromium'), startOrigin({}), startService()]);
  service = await startService({ allowedOrigins: [shop.url], otherUnits: [NORTH] });
  shop.routes['/'] = SHOP(service.loaderUrl);
});
afterAll(async () => {
  await Promise.all([service?.stop(), later?.stop()]);
  await shop?.stop();
  await browser?.close();
});

interface OpenOptions {
  inline?: boolean;
  width?: number;
  height?: number;
  space?: number;
  reducedMotion?: 'reduce' | 'no-preference';
  flow?: Flow;
  /** A page of this size that has already shown another session. */
  on?: Page | undefined;
}

interface Opened {
  page: Page;
  frame: FrameLocator;
}

async function open(
  body: Record<string, unknown>,
  {
    inline = false,
    width = 375,
    height = 667,
    space = 0,
    reducedMotion = 'reduce',
    flow = 'payment',
    on,
  }: OpenOptions = {},
): Promise<Opened> {
  const { sessionUrl } = await service.create(flow, body);
  const page = on ?? (await openTab(browser));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ reducedMotion });
  await page.goto(space === 0 ? shop.url : `${shop.url}/?space=${space}`);
  await page.evaluate(
    ([url, isInline, method]) => {
      const sdk = (window as unknown as { Service: Record<string, (...args: unknown[]) => unknown> }).Service;
      const container = isInline ? { container: document.querySelector('#inline') } : {};
      void sdk[method]?.(url, container);
    },
    [sessionUrl, inline, flow === 'payment' ? 'completePayment' : 'startFlow'] as const,
  );
  const frame = sessionFrame(page);
  await frame.locator('#page .flow, #page .statement').first().waitFor();
  return { page, frame };
}

const done = (page: Page): Promise<void> => page.close();
/** Layout shift so far. Resolves after the latest rendering is painted. */
const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const report = () => resolve((window as unknown as Shop).shift);
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(report)), 300);
      }),
  );
const heightsOf = (page: Page): Promise<number[]> => page.evaluate(() => (window as unknown as Shop).heights);

/** Opens a page with the browser's text size doubled. */
const LARGE_TEXT = {
  chromium: { args: ['--blink-settings=defaultFontSize=32'] },
  firefox: { firefoxUserPrefs: { 'font.size.variable.x-western': 32 } },
};

/** Whether the whole element is inside the window and uncovered. */
/** Hides events from the page's listeners. The browser still handles them. */
const hideKeys = (): void => addEventListener('keydown', (event) => event.stopImmediatePropagation(), true);

async function isSeen(target: Locator, page: Page): Promise<boolean> {
  const box = await target.boundingBox();
  const size = page.viewportSize();
  if (box === null || size === null) return false;
  const inside = box.y >= 0 && box.y + box.height <= size.height && box.x >= 0;
  const onTop = await target.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const found = document.elementFromPoint(x + width / 2, y + height / 2);
    return found !== null && (element.contains(found) || found.contains(element));
  });
  return inside && onTop;
}

describe('R-71 a returning payer on a small phone', () => {
  it('sees amount, methods and Pay on one screen, and pays with the default in one press', async () => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, BANK);
    await save(service, ClientUser, CARD);
    const { page, frame } = await open({
      ClientUser,
      Charges: [{ Amount: 8420, Description: 'Water and sewer', ClientAccount: someAccount() }],
    });
    const radio = (name: string) => frame.getByRole('radio', { name });
    await expect.poll(() => isSeen(frame.getByText('$84.20').first(), page)).toBe(true);
    for (const name of ['6789', '4242', 'New card', 'New bank account']) {
      await expect.poll(() => isSeen(radio(name), page), { message: name }).toBe(true);
    }
    await expect.poll(() => isSeen(frame.getByRole('button', { name: 'Pay $84.20' }), page)).toBe(true);
    expect(await radio('6789').isChecked()).toBe(true);
    expect(await frame.getByLabel('Card number').count()).toBe(0);
    await pressPay(frame);
    await frame.getByRole('heading', { name: 'Payment submitted' }).waitFor();
    await done(page);
  });

  it.each(['payment', 'autopay', 'schedule-payment'] as const)(
    '%s: sees the default first',
    { tags: 'thorough' },
    async (flow) => {
      const ClientUser = someCustomer();
      await save(service, ClientUser, CARD);
      const bank = await save(service, ClientUser, BANK);
      const wallet = await service.create('wallet', { ClientUser });
      await ask(wallet, `methods/${bank}/default`, {});
      const account = flow === 'payment' ? {} : { SyncAccount: true, ClientAccount: someAccount() };
      const { sessionUrl } = await service.create(flow, { ClientUser, ...account });
      const page = await visit(browser, sessionUrl);
      const names = () =>
        page
          .getByRole('radio')
          .evaluateAll((all) =>
            all.map(
              (radio) => document.getElementById(radio.getAttribute('aria-labelledby') ?? '')?.textContent,
            ),
          );
      await expect
        .poll(names)
        .toEqual(['Bank account ending in 6789', 'Visa ending in 4242', 'New card', 'New bank account']);
      expect(await page.getByRole('radio').first().isChecked()).toBe(true);
      await done(page);
    },
  );
});

it(
  'R-71 lets the payer choose if the default has expired, instead of charging another method',
  { tags: ['thorough'] },
  async () => {
    const account = { SyncAccount: true, ClientAccount: someAccount() };
    const { ClientUser } = await expiredCard(later);
    const sessions: string[] = [];
    for (const [flow, send] of firstOf(2, [
      ['payment', /^Pay \$/],
      ['autopay', 'Turn on AutoPay'],
      ['schedule-payment', 'Schedule $84.20'],
    ] as const)) {
      const body = { ClientUser, ...(flow !== 'payment' && account) };
      const { sessionId, sessionUrl } = await later.create(flow, body);
      sessions.push(sessionId);
      const page = await visit(browser, sessionUrl);
      await page
        .locator('small')
        .filter({ hasText: /Default.*Expired/ })
        .waitFor();
      expect(await page.locator('[name=method]:checked').count()).toBe(0);
      expect(await page.getByLabel(/^Save this/).count()).toBe(0);
      expect(await page.getByText(/save this payment method/).count()).toBe(0);
      if (flow === 'schedule-payment') await page.getByRole('button', { name: /^Tomorrow/ }).click();
      await page.getByRole('button', { name: send }).click();
      await page.getByText('Choose a payment method.').waitFor();
      await focusOn(page.getByRole('radio', { name: 'Bank account ending in 6789' }));
      await done(page);
    }
    const { payments } = await later.control.state();
    expect(payments.filter(({ sessionId }) => sessions.includes(sessionId))).toEqual([]);
  },
);

it.each([
  [375, 667],
  [1280, 800],
])(
  'shows how many fields are invalid, the button and the first problem while its field has the focus, at %i × %i',
  { tags: 'thorough' },
  async (width, height) => {
    for (const [flow, send, first] of firstOf(2, [
      ['payment', /^Pay \$/, 'Card number'],
      ['notifications', 'Save preferences', 'Mobile phone number'],
      ['schedule-payment', /^Schedule/, 'Amount'],
      ['autopay', 'Turn on AutoPay', 'Card number'],
    ] as const)) {
      const account = { SyncAccount: true, ClientUser: someCustomer(), ClientAccount: someAccount() };
      const { sessionUrl } = await service.create(flow, flow === 'payment' ? {} : account);
      const page = await visit(browser, sessionUrl);
      await page.setViewportSize({ width, height });
      if (flow === 'schedule-payment') await page.getByLabel('Amount').fill('');
      if (flow === 'notifications') await page.getByLabel('Text message').first().check();
      await page.getByRole('button', { name: send }).click();
      const field = page.getByLabel(first, { exact: true });
      await focusOn(field);
      const problem = page.locator('.has-problem .problem').first();
      const button = page.locator('.pay-bar .button');
      for (const shown of [field, problem, page.getByText(/fields? needs? attention/), button]) {
        await expect.poll(() => isSeen(shown, page), { message: flow }).toBe(true);
      }
      await done(page);
    }
  },
);

describe('the layout', () => {
  it.each([false, true])(
    'changes the height of the frame once, to that of its form (inline: %s)',
    { tags: 'thorough' },
    async (inline) => {
      const { page, frame } = await open({}, { inline, width: 1280, height: 1000 });
      await frame.getByRole('button', { name: /^Pay/ }).waitFor();

      await expect
        .poll(async () => {
          const content = await frame
            .locator('body')
            .evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
          return (await heightsOf(page)).at(-1) === content;
        })
        .toBe(true);

      const heights = await heightsOf(page);
      // The first is that of a common payment.
      expect(heights.length).toBeLessThanOrEqual(2);
      await done(page);
    },
  );

  const SIZES = [
    [375, 667],
    [800, 900],
    [1280, 800],
  ] as const;

  // The test command checks the smallest size, the whole matrix all sizes.
  const least = IS_MATRIX ? SIZES : SIZES.slice(0, 1);
  it.each(least)(
    'does not shift when a modal opens at %i × %i, whatever the height of its form',
    { tags: ['thorough'] },
    async (width, height) => {
      const many = Array.from({ length: 25 }, (_, place) => ({ Amount: 100, Description: `Line ${place}` }));
      for (const body of firstOf(2, [{}, { Charges: many }, { PaymentMethods: ['ACH'] }])) {
        const { page, frame } = await open(body, { width, height, reducedMotion: 'no-preference' });
        await frame.getByRole('button', { name: /^Pay/ }).waitFor();
        await expect.poll(async () => (await heightsOf(page)).length).toBeGreaterThan(0);
        expect(await shiftOf(page)).toBeLessThanOrEqual(0.02);
        await done(page);
      }
    },
  );

  it('does not shift when the form appears at top level', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await openTab(browser, { viewport: { width: 1280, height: 800 } });
    await page.goto(sessionUrl);
    await page.getByRole('button', { name: /^Pay/ }).waitFor();
    const shifted = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => {
            resolve(
              list
                .getEntries()
                .reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0),
            );
          }).observe({ type: 'layout-shift', buffered: true });
          // The callback runs only if there is a shift.
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
        }),
    );
    expect(shifted).toBeLessThan(0.01);
    await done(page);
  });

  it.each(IS_MATRIX ? ['light', 'dark'] : ['dark'])(
    'R-70 has one background in the frame, also behind sticky bars: %s',
    { tags: 'thorough' },
    async (scheme) => {
      const { sessionUrl } = await service.create('payment');
      const page = await visit(browser, sessionUrl.replace('#', `?scheme=${scheme}#`));
      const grounds = await page.evaluate(() => {
        document.documentElement.dataset['framed'] = '';
        return ['html', '.brand', '.pay-bar'].map(
          (name) => getComputedStyle(document.querySelector(name) as Element).backgroundColor,
        );
      });
      expect(new Set(grounds).size).toBe(1);
      await done(page);
    },
  );

  it.each([
    ['light', 'ffff00'],
    ['dark', '0a0a0a'],
  ])(
    'R-70 gives Pay a border if it matches the background: %s, #%s',
    { tags: 'thorough' },
    async (scheme, accent) => {
      const { sessionUrl } = await service.create('payment');
      const page = await visit(browser, sessionUrl.replace('#', `?scheme=${scheme}&accent=${accent}#`));
      const edge = await page.evaluate(() => {
        const light = (color: string): number => Math.max(...(color.match(/\d+/g) ?? []).map(Number));
        const ground = getComputedStyle(document.querySelector('.card') as Element).backgroundColor;
        const { borderStyle, borderColor } = getComputedStyle(document.querySelector('#pay') as Element);
        return borderStyle === 'solid' ? Math.abs(light(borderColor) - light(ground)) : 0;
      });
      expect(edge).toBeGreaterThan(90);
      await done(page);
    },
  );

  it('accepts a slash that the expiry field has already inserted', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    const expiry = page.getByLabel('Expiry date');
    await expiry.pressSequentially('12/34');
    expect(await expiry.inputValue()).toBe('12 / 34');
    await page.getByLabel('Card number').pressSequentially('٤٢٤٢ ٤٢');
    expect(await page.getByLabel('Card number').inputValue()).toBe('4242 42');
    await done(page);
  });

  it('scrolls to the result of an inline payment', { tags: 'thorough' }, async () => {
    const { page, frame } = await open(
      {
        Charges: Array.from({ length: 25 }, (_, place) => ({
          Amount: 100 + place,
          Description: `Line ${place}`,
        })),
      },
      { inline: true, width: 800, height: 600 },
    );
    await fillCard(frame);
    await pressPay(frame);
    const verdict = frame.getByRole('heading', { name: 'Payment complete' });
    await verdict.waitFor();
    await expect.poll(() => isSeen(verdict, page)).toBe(true);
    await done(page);
  });

  it.each([
    [1280, 'in the middle of a dialog'],
    [375, 'at the bottom of a sheet'],
  ] as const)('at %i px asks before leaving %s', { tags: 'thorough' }, async (width, place) => {
    const { page, frame } = await open({}, { width });
    await frame.getByLabel('Card number').fill('4242 42');
    await frame.getByLabel('Card number').press('Escape');
    const [prompt, around] = await Promise.all(
      [frame.getByRole('dialog'), page.locator('iframe')].map((each) => each.boundingBox()),
    );
    const [above, below] = [prompt!.y - around!.y, around!.y + around!.height - prompt!.y - prompt!.height];
    expect(Math.abs(above - below) < 2 ? 'in the middle of a dialog' : 'at the bottom of a sheet').toBe(
      place,
    );
    expect(prompt!.width < around!.width - 32).toBe(width === 1280);
    leave(frame.getByRole('button', { name: 'Leave' }).click());
    await page.locator('iframe').waitFor({ state: 'detached' });
    await done(page);
  });

  it.each(
    IS_MATRIX ? ['Escape', 'Back on Android', 'the close button', 'the backdrop'] : ['Back on Android'],
  )('%s with a half-typed card asks before leaving', { tags: ['thorough'] }, async (by) => {
    const { page, frame } = await open({}, { width: 800 });
    await frame.getByLabel('Card number').fill('4242 42');
    // Both are close requests. Back doesn't involve a key.
    if (by === 'Back on Android') await frame.locator('html').evaluate(hideKeys);
    const close = async (): Promise<void> => {
      if (by === 'Escape' || by === 'Back on Android') await page.keyboard.press('Escape');
      else if (by === 'the backdrop') await page.mouse.click(5, 5);
      else await page.getByRole('button', { name: 'Close' }).click();
    };
    const prompt = frame.getByRole('dialog', { name: 'Leave this payment?' });
    await close();
    await prompt.getByRole('button', { name: 'Stay' }).click();
    await prompt.waitFor({ state: 'detached' });
    expect(await frame.getByLabel('Card number').inputValue()).toBe('4242 42');
    expect(await frame.getByLabel('Card number').getAttribute('aria-invalid')).toBe('false');

    await frame.getByLabel('Card number').focus();
    await close();
    await prompt.waitFor();
    await frame.getByRole('button', { name: 'Stay' }).press('Escape');
    await prompt.waitFor({ state: 'detached' });
    await focusOn(frame.getByLabel('Card number'));

    // The form stays filled in after a payment whose response is lost and which is then declined.
    await fillCard(frame, CARD_DECLINED);
    await page.route('**/api/pay', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await pressPay(frame);
    await frame.getByRole('alert').filter({ hasText: 'declined' }).waitFor();
    await close();
    leave(prompt.getByRole('button', { name: 'Leave' }).click());
    await page.locator('iframe').waitFor({ state: 'detached' });
    await done(page);
  });
});

describe('R-72 the receipt', () => {
  const pagesOf = async (page: Page): Promise<number> =>
    (await page.pdf({ format: 'Letter' })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;

  it('shows account, payer, method, time and number, and prints on one page', async () => {
    const ClientUser = someCustomer();
    const session = await service.create('payment', {
      ClientUser,
      Charges: [{ Amount: 1234, ClientAccount: { AccountNumber: 'HW-7', Name: 'Boat house' } }],
    });
    await pay(session, CARD);
    const page = await visit(browser, session.sessionUrl);
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    const receipt = await page.locator('.receipt').innerText();
    for (const text of ['Boat house', 'HW-7', 'Dana Reyes', 'Visa ending in 4242', '$12.34']) {
      expect(receipt).toContain(text);
    }
    expect(receipt).toMatch(/\d{5} \d{5}/);
    expect(receipt).toMatch(/\d (AM|PM) E[SD]T/);
    const ends = await page.locator('.receipt dd').evaluateAll((values) =>
      values.map((value) => {
        const text = document.createRange();
        text.selectNodeContents(value);
        return Math.round(text.getBoundingClientRect().right);
      }),
    );
    expect(new Set(ends).size).toBe(1);
    await page.getByRole('button', { name: 'Print', exact: true }).waitFor();
    expect(await pagesOf(page)).toBe(1);
    await done(page);
  });

  it.each(['light', 'dark'] as const)(
    'prints only the receipt from a modal, dark on white, without buttons: %s',
    { tags: 'thorough' },
    async (colorScheme) => {
      const { page, frame } = await open({}, { width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme });
      await fillCard(frame);
      await pressPay(frame);
      await frame.getByRole('heading', { name: 'Payment complete' }).waitFor();
      // The browser prints the frame's document, not the merchant's page around it.
      await page.evaluate(() => (window.print = () => document.body.append('printed the page around')));
      await frame.locator('body').evaluate((body) => {
        document.documentElement.dataset['scheme'] = matchMedia('(prefers-color-scheme: dark)').matches
          ? 'dark'
          : 'light';
        window.print = () => (body.dataset['printed'] = 'yes');
      });
      await frame.getByRole('button', { name: 'Print', exact: true }).click();
      expect(await frame.locator('body').getAttribute('data-printed')).toBe('yes');
      expect(await page.getByText('printed the page around').count()).toBe(0);
      await page.emulateMedia({ media: 'print', colorScheme });
      expect(await frame.getByRole('button').count()).toBe(0);
      const styles = await frame.locator('body').evaluate((body) => {
        const of = (name: string) => getComputedStyle(document.querySelector(name) as Element);
        return {
          ink: [of('.receipt').color, of('h1').color, of('.brand-name').color],
          scheme: of('html').colorScheme,
          ground: of('.receipt').backgroundColor,
          header: [of('.brand').position, of('.brand').marginLeft, of('.brand').paddingLeft],
          padding: getComputedStyle(body).padding,
        };
      });
      expect(styles).toEqual({
        ink: Array.from({ length: 3 }, () => 'rgb(0, 0, 0)'),
        scheme: 'light',
        ground: 'rgb(255, 255, 255)',
        header: ['static', '0px', '0px'],
        padding: '0px',
      });
      await done(page);
    },
  );

  it(
    'keeps the header in place, and shows the method in Arabic word order',
    { tags: 'thorough' },
    async () => {
      const { sessionUrl } = await service.create('payment', {
        Charges: [{ Amount: 1234, Description: 'Water', ClientAccount: someAccount('HW-1') }],
      });
      const page = await openTab(browser, { viewport: { width: 1280, height: 800 } });
      await page.goto(sessionUrl.replace('#', '?lang=ar#'));
      const header = await page.locator('.brand').boundingBox();
      await page.locator('#field-cardNumber').fill('4242424242424242');
      await page.locator('#field-expiry').fill('12/34');
      await page.locator('#field-securityCode').fill('123');
      await page.locator('input#field-name').fill('Dana Reyes');
      await page.locator('#field-zipCode').fill('04101');
      await page.locator('#pay').click();
      const receipt = page.locator('.receipt');
      await receipt.waitFor();
      /** Positions of words in a text, from right to left in reading order. */
      const places = await page.evaluate(() => {
        const box = (text: string): DOMRect => {
          const walker = document.createTreeWalker(document.querySelector('.receipt')!, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.textContent!.indexOf(text);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + text.length);
            return range.getBoundingClientRect();
          }
          throw new Error(text);
        };
        return {
          brand: box('Visa').right,
          digits: box('4242').right,
          name: box('Dana Reyes').right,
          account: box('HW-1').right,
          water: box('Water').right,
          label: box('\u0627\u0644\u0625\u064a\u0635\u0627\u0644').right,
        };
      });
      expect(places.brand).toBeGreaterThan(places.digits);
      expect(places.name).toBeGreaterThan(places.account);
      expect(places.water).toBeCloseTo(places.label, 0);
      expect(await page.locator('.brand').boundingBox()).toEqual(header);
      await done(page);
    },
  );

  it('of 25 charges prints on at most two pages', { tags: 'thorough' }, async () => {
    const session = await service.create('payment', {
      Charges: Array.from({ length: 25 }, (_, place) => ({
        Amount: 100 + place,
        ClientAccount: { AccountNumber: `HW-${place}`, Name: 'Dana Reyes' },
      })),
    });
    await ask(session, 'pay', {
      attemptId: crypto.randomUUID(),
      source: CARD,
      saveMethod: false,
      charges: Array.from({ length: 25 }, (_, index) => ({ index, amount: 100 + index })),
      fields: {},
    });
    const page = await visit(browser, session.sessionUrl);
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(await pagesOf(page)).toBeLessThanOrEqual(2);
    await done(page);
  });
});

it(
  'R-73 shows the authorization before a bank payment and stores the same text',
  { tags: 'thorough' },
  async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    await fillBank(page, BANK_OK);
    await page.getByText('Double-check: 0001 2345 6789').waitFor();
    await page.getByRole('radio', { name: 'Savings' }).check();
    const shown = await page.getByText(/^By selecting “Pay,” I authorize/).innerText();
    expect(shown).toMatch(
      /Harborlight Water .* ending in 6789 once for \$12\.34, on or after .*\s2026, .*revoke/,
    );
    await page.getByRole('button', { name: 'Pay $12.34' }).click();
    await page.getByRole('heading', { name: 'Payment submitted' }).waitFor();
    const { authorizations } = (await service.control.state()) as unknown as {
      authorizations: { text: string }[];
    };
    expect(authorizations.map(({ text }) => text)).toContain(shown);
    await done(page);
  },
);

describe('R-9 postcodes', () => {
  const postcodeOf = (page: Page) => page.getByLabel('Postal code');

  it(
    'are validated by country if several are configured, such as K1A 0B1',
    { tags: ['thorough'] },
    async () => {
      const { sessionUrl } = await service.create('payment', { BusinessUnitSlug: NORTH.slug });
      const page = await visit(browser, sessionUrl);
      const country = page.getByLabel('Country or region');
      const names = await country.locator('option').allInnerTexts();
      expect(names).toEqual(['United States', 'Canada', 'United Kingdom']);
      expect(await country.inputValue()).toBe('US');
      await fillCard(page);
      expect(await page.getByLabel('ZIP code').getAttribute('inputmode')).toBe('numeric');

      await country.selectOption('CA');
      expect(await page.getByLabel('ZIP code').count()).toBe(0);
      expect(await postcodeOf(page).getAttribute('inputmode')).not.toBe('numeric');
      await page.getByRole('button', { name: 'Pay $12.34' }).click();
      await page.getByText('Enter a valid postal code for this country.').first().waitFor();
      await postcodeOf(page).fill('');
      await postcodeOf(page).pressSequentially('k1a 0b1');
      expect(await axeViolations(page)).toEqual([]);
      const sent = page.waitForRequest('**/api/pay');
      await page.getByRole('button', { name: 'Pay $12.34' }).click();
      expect((await sent).postDataJSON()).toMatchObject({ source: { country: 'CA', zipCode: 'K1A 0B1' } });
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
      expect((await service.control.state(NORTH.slug)).payments).toMatchObject([
        { status: 'succeeded', last4: '4242' },
      ]);
      await done(page);
    },
  );

  it('start with the country of the payer’s language', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('wallet', {
      BusinessUnitSlug: NORTH.slug,
      ClientUser: someCustomer(),
    });
    const own = await openTab(browser, { locale: 'en-CA' });
    await visit(own, sessionUrl);
    await own.getByRole('button', { name: 'Add a payment method' }).click();
    expect(await own.getByLabel('Country or region').inputValue()).toBe('CA');
    await fillCard(own, undefined, { 'Postal code': 'K1A 0B1' });
    await own.getByRole('button', { name: 'Save payment method' }).click();
    await own.getByRole('status').filter({ hasText: 'Visa ending in 4242 is saved' }).waitFor();
    await done(own);
  });

  it('are not requested for a country without postcodes', { tags: 'thorough' }, async () => {
    const internationalService = await startService({ businessUnit: { countries: ['GB', 'AE', 'HK'] } });
    try {
      const page = await visit(browser, (await internationalService.create('payment')).sessionUrl);
      await fillCard(page, undefined, {});
      await page.getByRole('button', { name: 'Pay $12.34' }).click();
      const problem = page.getByText('Enter a valid postal code for this country.');
      await problem.waitFor();
      await page.getByLabel('Country or region').selectOption('AE');
      expect(await postcodeOf(page).count()).toBe(0);
      await expect.poll(() => problem.count()).toBe(0);
      const sent = page.waitForRequest('**/api/pay');
      await page.getByRole('button', { name: 'Pay $12.34' }).click();
      expect((await sent).postDataJSON()).toMatchObject({ source: { country: 'AE', zipCode: '' } });
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
      await done(page);
    } finally {
      await internationalService.stop();
    }
  });

  it('must be from the US by default, without a choice of country', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    await fillCard(page);
    expect(await page.locator('select').count()).toBe(0);
    expect(await postcodeOf(page).count()).toBe(0);
    await page.getByLabel('ZIP code').fill('K1A 0B1');
    await page.getByRole('button', { name: 'Pay $12.34' }).click();
    await page.getByText('Enter 5 or 9 digits.').first().waitFor();
    await done(page);
  });
});

describe('R-70 at 320 px', () => {
  const small = { viewport: { width: 320, height: 800 } };
  const linesOf = (part: Locator): Promise<number> =>
    part.evaluate((element) => {
      // An icon has a box of its own.
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      const tops = new Set<number>();
      while (texts.nextNode()) {
        range.selectNodeContents(texts.currentNode);
        for (const { top } of range.getClientRects()) tops.add(Math.round(top));
      }
      return tops.size;
    });

  it.each(firstOf(1, ['es', 'en', 'ar']))(
    'R-70 says in one line what is wrong with a short field, in %s',
    { tags: ['thorough'] },
    async (lang) => {
      const { sessionUrl } = await service.create('payment');
      const page = await openTab(browser, small);
      await visit(page, sessionUrl.replace('#', `?lang=${lang}#`));
      await page.locator('#pay').click();
      const problems = page.locator('.pair .problem');
      await problems.first().waitFor();
      for (const width of [320, 375]) {
        await page.setViewportSize({ width, height: 800 });
        for (const problem of await problems.all()) expect(await linesOf(problem), `${width} px`).toBe(1);
      }
      await done(page);
    },
  );

  it(
    'keeps each action of a bank account’s menu and each button label on one line',
    { tags: ['thorough'] },
    async () => {
      const ClientUser = someCustomer();
      await save(service, ClientUser, CARD);
      await save(service, ClientUser, BANK);
      const page = await openTab(browser, small);
      await visit(page, (await service.create('wallet', { ClientUser })).sessionUrl);
      const bank = page.getByRole('listitem').filter({ hasText: 'Bank account' });
      await bank.getByRole('button', { name: 'Manage Bank account ending in 6789' }).click();
      const actions = bank.locator('.menu').getByRole('button');
      expect(await actions.allInnerTexts()).toEqual(['Rename', 'Make default', 'Delete']);
      for (const action of await actions.all()) expect(await linesOf(action)).toBe(1);
      await page.emulateMedia({ colorScheme: 'dark' });
      // The edge of a field, because shadows don't show on dark pages.
      const [menu, field] = await bank.locator('.menu').evaluate((menu) => {
        const edge = document.createElement('i');
        edge.style.color = 'var(--edge)';
        menu.append(edge);
        return [getComputedStyle(menu).borderTopColor, getComputedStyle(edge).color];
      });
      expect(menu).toBe(field);
      expect(await linesOf(page.getByRole('button', { name: 'Add a payment method' }))).toBe(1);

      // Its dots line up with the edge of the page, so a box around it would be outside.
      await page.emulateMedia({ forcedColors: 'active' });
      const opener = bank.getByRole('button', { name: 'Manage Bank account ending in 6789' });
      expect(await opener.evaluate((each) => getComputedStyle(each).borderStyle)).toBe('none');
      await done(page);
    },
  );

  it(
    'keeps account numbers on one line, and breaks e-mail addresses only after the @',
    { tags: ['thorough'] },
    async () => {
      const ClientUser = someCustomer();
      const { sessionUrl } = await service.create('paperless', { ClientUser, ClientAccount: someAccount() });
      const page = await openTab(browser, small);
      await page.goto(sessionUrl);
      expect(await linesOf(page.locator('bdi', { hasText: /^Account HW-/ }))).toBe(1);
      const address = page.locator('bdi', { hasText: ClientUser.EmailAddress });
      expect(await linesOf(address)).toBeLessThanOrEqual(2);
      expect(await address.innerText()).toMatch(/^\S+@\s*example\.com$/);
      await done(page);
    },
  );

  it.each([1, 2])(
    'R-72 keeps account numbers and the reference on one line on a receipt with %i accounts',
    { tags: 'thorough' },
    async (count) => {
      const charges = ['HW-204-1', 'HW-204-2'].slice(0, count);
      const session = await service.create('payment', {
        ClientReference: `INV-2026-110${count}`,
        Charges: charges.map((AccountNumber) => ({
          Amount: 1234,
          ClientAccount: { AccountNumber, Name: 'Dana Alexandra Reyes' },
        })),
      });
      await ask(session, 'pay', {
        attemptId: randomUUID(),
        source: CARD,
        saveMethod: false,
        charges: charges.map((_, index) => ({ index, amount: 1234 })),
        fields: {},
      });
      const page = await openTab(browser, small);
      await visit(page, session.sessionUrl);
      for (const number of [...charges, `INV-2026-110${count}`]) {
        const shown = page.locator('.receipt bdi', { hasText: number });
        for (const width of [320, 340, 360, 375, 412]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await linesOf(shown), `${width} px`).toBe(1);
        }
      }
      await done(page);
    },
  );

  it(
    'R-72 shows no separator between name and address on a receipt if they are on two lines',
    { tags: 'thorough' },
    async () => {
      const ClientUser = someCustomer();
      const page = await openTab(browser, small);
      await page.goto((await service.create('payment', { ClientUser })).sessionUrl);
      await fillCard(page);
      await page.getByRole('button', { name: 'Pay $12.34' }).press('Enter');
      const paidBy = page.locator('.receipt dd', { hasText: ClientUser.EmailAddress });
      for (const width of [320, 340, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const boxes = [paidBy, paidBy.locator('bdi').first(), paidBy.locator('bdi').last()];
        const [row, name, address] = await Promise.all(boxes.map((box) => box.boundingBox()));
        expect(address!.y, `${width} px`).toBeGreaterThan(name!.y);
        // The separator is outside the row, which clips it.
        expect(name!.x + name!.width, `${width} px`).toBeCloseTo(row!.x + row!.width, 0);
        expect(address!.x + address!.width, `${width} px`).toBeCloseTo(row!.x + row!.width, 0);
      }
      await done(page);
    },
  );

  it(
    'shows an account’s number below its name and the field of its amount, and the limit below',
    { tags: 'thorough' },
    async () => {
      const adjustable = await startService({ businessUnit: { allowAmountAdjustment: true } });
      try {
        const { sessionUrl } = await adjustable.create('payment', {
          Charges: ['HW-20481', 'HW-20482'].map((AccountNumber) => ({
            Amount: 8420,
            ClientAccount: { AccountNumber, Name: 'Dana Reyes', Balance: 12_000, DueDate: '2027-12-05' },
          })),
        });
        const page = await visit(await openTab(browser, small), sessionUrl);
        const first = page.locator('.charges li').first();
        const [number, field, limit] = await Promise.all(
          ['.account > p', '.control', '.hint'].map((part) => first.locator(part).first().boundingBox()),
        );
        expect(number!.y).toBeGreaterThanOrEqual(field!.y + field!.height);
        expect(limit!.y).toBeGreaterThanOrEqual(number!.y + number!.height);
        await done(page);
      } finally {
        await adjustable.stop();
      }
    },
  );

  it('in Arabic puts the dollar sign left of a typed amount', { tags: 'thorough' }, async () => {
    const adjustable = await startService({ businessUnit: { allowAmountAdjustment: true } });
    try {
      const { sessionUrl } = await adjustable.create('payment', {
        Charges: ['A', 'B'].map((name) => ({
          Amount: 100,
          ClientAccount: { AccountNumber: name, Name: name },
        })),
      });
      const page = await openTab(browser, { ...small, locale: 'ar' });
      await page.goto(sessionUrl);
      const sign = await page.locator('.prefix').first().boundingBox();
      const amount = await page.locator('.prefix + input').first().boundingBox();
      expect(sign!.x + sign!.width).toBeLessThanOrEqual(amount!.x + 1);
      await done(page);
    } finally {
      await adjustable.stop();
    }
  });

  it.each(['fr', 'tl', 'es', 'ar'])(
    'does not cover a label with card marks: %s',
    { tags: 'thorough' },
    async (lang) => {
      const { sessionUrl } = await service.create('autopay', {
        ClientUser: someCustomer(),
        SyncAccount: true,
        ClientAccount: someAccount(),
      });
      const page = await openTab(browser, small);
      await visit(page, sessionUrl.replace('#', `?lang=${lang}#`));
      const overlaps = await page.locator('.field:has(.marks)').evaluate((field) => {
        const range = document.createRange();
        range.selectNodeContents(field.querySelector('label') as Element);
        const marks = field.querySelector('.marks')!.getBoundingClientRect();
        return [...range.getClientRects()].some(
          (line) => line.left < marks.right && line.right > marks.left && line.top < marks.bottom,
        );
      });
      expect(overlaps).toBe(false);
      await done(page);
    },
  );

  it.each(MATRIX_ENGINES)(
    'with 32 px text keeps each payment method’s name on one line, and does not scroll horizontally: %s',
    { tags: 'thorough' },
    async (engine) => {
      const large = await launch(engine, LARGE_TEXT[engine]);
      const page = await openTab(large);
      const names = page.locator('.choice-text > :first-child');
      const Charges = Array.from({ length: 25 }, () => ({ Amount: 12_345_678_900 }));
      const managed = { ClientUser: someCustomer(), SyncAccount: true, ClientAccount: someAccount() };
      for (const [flow, body] of [
        ['payment', { Charges }],
        ['schedule-payment', managed],
      ] as const) {
        await page.goto((await service.create(flow, body)).sessionUrl);
        await names.first().waitFor();
        for (const width of [640, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await linesOf(names.last()), `${flow} at ${width} px`).toBe(1);
        }
        await page.setViewportSize({ width: 320, height: 900 });
        expect(
          await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement;
            return scrollWidth - clientWidth;
          }),
          flow,
        ).toBe(0);
      }
      await large.close();
    },
  );

  it(
    'with 32 px text hyphenates long words by language, and does not break amounts, dates or addresses',
    { tags: 'thorough' },
    async () => {
      const large = await launch('chromium', { args: ['--blink-settings=defaultFontSize=32'] });
      const page = await openTab(large, { ...small, viewport: { width: 320, height: 900 } });
      const hyphens = (part: Locator): Promise<string> =>
        part.evaluate((element) => getComputedStyle(element).hyphens);
      const open = async (flow: Flow, lang: string, body: Record<string, unknown>): Promise<void> => {
        const { sessionUrl } = await service.create(flow, body);
        await visit(page, sessionUrl.replace('#', `?lang=${lang}#`));
      };
      for (const [Amount, lang] of [
        [1234, 'pt'],
        [123_456_789, 'en'],
        [12_345_678_900, 'ar'],
      ] as const) {
        await open('payment', lang, { Charges: [{ Amount }] });
        // Excludes text for screen readers.
        const amountLines = (): Promise<number> =>
          page.locator('.summary .amount').evaluate((amount) => {
            const range = document.createRange();
            range.selectNode(amount.lastChild as Node);
            return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
          });
        await expect.poll(amountLines, { message: lang }).toBe(1);
      }
      const ClientUser = someCustomer();
      const ClientAccount = someAccount();
      const managed = { ClientUser, SyncAccount: true, ClientAccount };
      await open('autopay', 'es', managed);
      expect(await hyphens(page.locator('h1'))).toBe('auto');
      expect(await hyphens(page.locator('.panel bdi').first())).toBe('manual');
      const methodId = await save(service, ClientUser, CARD);
      await schedule(service, ClientUser, ClientAccount, { amount: 8420, days: 3, methodId });
      await open('scheduled-payments', 'ar', managed);
      expect(await linesOf(page.locator('.item .part').last())).toBe(1);
      await page.setViewportSize({ width: 640, height: 900 });
      expect(await hyphens(page.locator('h1'))).toBe('manual');
      await large.close();
    },
  );

  it.each(['en', 'ar'])(
    'R-71 aligns the dialog header with the content, and shows the full payee name next to the close button, also with 32 px text: %s',
    { tags: 'thorough' },
    async (lang) => {
      for (const args of [[], ['--blink-settings=defaultFontSize=32']]) {
        const text = await launch('chromium', { args });
        const page = await openTab(text, small);
        const { sessionUrl } = await service.create('payment');
        await visit(page, sessionUrl.replace('#', `?lang=${lang}#`));
        const seen = await page.evaluate(() => {
          document.documentElement.dataset['framed'] = '';
          const isRtl = document.documentElement.dir === 'rtl';
          const box = (selector: string) => {
            const element = document.querySelector(selector) as HTMLElement;
            const { left, right } = element.getBoundingClientRect();
            const [start, end] = isRtl ? [innerWidth - right, left] : [left, innerWidth - right];
            return { element, start, end };
          };
          const brand = box('.brand');
          const { element: name, end } = box('.brand-name');
          return {
            offset:
              brand.start + parseFloat(getComputedStyle(brand.element).paddingInlineStart) - box('h2').start,
            // A tall font exceeds its line a little. A hidden line exceeds it by a whole line.
            isWhole:
              name.scrollWidth <= name.clientWidth &&
              name.scrollHeight - name.clientHeight < parseFloat(getComputedStyle(name).fontSize) / 2,
            // The close button's icon, in the middle of its 44 px, ends 38 px from the edge.
            isClear: end >= 44,
          };
        });
        expect(seen, args.join('')).toEqual({ offset: 0, isWhole: true, isClear: true });
        await text.close();
      }
    },
  );

  it(
    'R-61 the page for an unknown session has a header below the close button',
    { tags: 'thorough' },
    async () => {
      const page = await openTab(browser, small);
      await page.goto(`${service.url}/s/stg_${'0'.repeat(32)}p#secret`);
      await page.getByRole('heading', { name: 'This link can’t be opened' }).waitFor();
      expect(await page.locator('header.brand').isVisible()).toBe(true);
      await done(page);
    },
  );
});

it('R-35 an expired session links back to the merchant', { tags: 'thorough' }, async () => {
  const urls = { SuccessUrl: 'https://shop.example/paid', ReturnUrl: 'https://shop.example/bills' };
  const { sessionUrl } = await later.create('payment', urls);
  await later.control.advance('31m');
  const page = await visit(browser, sessionUrl);
  await page.getByRole('heading', { name: 'This session has expired' }).waitFor();
  const back = page.getByRole('link', { name: 'Back to Harborlight Water' });
  expect(await back.getAttribute('href')).toBe(urls.ReturnUrl);
  await done(page);
});

it('R-72 a returned payment’s page says which payment it was', { tags: ['thorough'] }, async () => {
  const session = await later.create('payment', { ClientUser: someCustomer() });
  const { receipt } = (await pay(session, RETURNED)) as { receipt: { number: string } };
  await later.control.advance('3d');
  const page = await visit(browser, session.sessionUrl);
  await page.getByRole('heading', { name: 'Your bank returned this payment' }).waitFor();
  const shown = await page.locator('.statement').innerText();
  expect(shown).toContain(receipt.number);
  expect(shown).toContain('$12.34');
  expect(shown).toContain('Bank account ending in 1116');
  expect(shown).toMatch(/Submitted on\s.*\d (AM|PM) E[SD]T/);
  await done(page);
});

it.each([
  [1, ['On the due date']],
  [30, ['On the due date', 'Tomorrow']],
  [-1, ['Tomorrow']],
])(
  'R-57 offers each day once for a bill that is due in %i days',
  { tags: 'thorough' },
  async (days, offered) => {
    const DueDate = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const { sessionUrl } = await service.create('schedule-payment', {
      ClientUser: someCustomer(),
      SyncAccount: true,
      ClientAccount: { ...someAccount(), DueDate },
    });
    const page = await visit(browser, sessionUrl);
    const shortcuts = page.getByRole('button', { name: /^(?:On the due date|Tomorrow)/ });
    expect((await shortcuts.allInnerTexts()).map((text) => text.split(',')[0])).toEqual(offered);
    const date = page.getByLabel('Payment date');
    expect(await date.inputValue()).toBe(days > 0 ? DueDate : await date.getAttribute('min'));
    expect(await page.locator('[aria-pressed=true]').innerText()).toBe(await shortcuts.first().innerText());
    await done(page);
  },
);

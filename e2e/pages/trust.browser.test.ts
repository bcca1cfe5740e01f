/** Payers trust the page to charge once, and to reveal neither the card nor the session's secret. */
import type { Browser, Page, Request, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT,
  axeViolations,
  CARD_DECLINED,
  CARD_OK,
  collectErrors,
  type CreatedSession,
  fillBank,
  fillCard,
  firstOf,
  type Flow,
  holdResponses,
  IS_MATRIX,
  launch,
  MATRIX_ENGINES,
  openTab,
  pressPay,
  type Service,
  startService,
} from '../harness/index.js';
import { focusOn } from './keyboard.js';
import { ask, CARD, HOSTILE, pay, save, schedule, someAccount, someCustomer, visit } from './stage.js';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  [browser, service] = await Promise.all([
    launch('chromium'),
    startService({ otherUnits: [{ slug: 'hostile', name: HOSTILE }] }),
  ]);
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
});

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay \$/ });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const paymentsOf = async ({ sessionId }: CreatedSession) =>
  (await service.control.state()).payments.filter((payment) => payment.sessionId === sessionId);
const close = (page: Page) => page.close();
/** For pages that often wait, because each frame of a spinner takes CPU time. */
const CALM = { reducedMotion: 'reduce' } as const;
const calmTab = () => openTab(browser, CALM);
/** Has its own connections, because Chromium silently repeats a request if a reused connection breaks. */
const freshPage = () => browser.newPage(CALM);

describe('the secret', () => {
  it(
    'is removed from the address immediately, and a reload continues the session',
    { tags: ['thorough'] },
    async () => {
      const { sessionUrl } = await service.create('payment');
      const secret = new URL(sessionUrl).hash.slice(1);
      const page = await visit(browser, sessionUrl);
      expect(page.url()).toBe(sessionUrl.replace(/#.*/, ''));
      expect(await page.content()).not.toContain(secret);
      expect(
        await page.evaluate(() =>
          JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
        ),
      ).not.toContain(secret);
      await page.reload();
      await payButton(page).waitFor();
      await close(page);
    },
  );

  it(
    'R-2 is removed from the address if the link is opened again in the same tab',
    { tags: 'thorough' },
    async () => {
      const { sessionUrl } = await service.create('payment');
      const page = await visit(browser, sessionUrl);
      await page.evaluate((url) => location.assign(url), sessionUrl);
      await expect.poll(() => page.url()).toBe(sessionUrl.replace(/#.*/, ''));
      await payButton(page).waitFor();
      await close(page);
    },
  );

  it('is sent only to the session API, in a header, and the card is sent once', async () => {
    const { sessionUrl } = await service.create('payment');
    const secret = new URL(sessionUrl).hash.slice(1);
    const page = await freshPage();
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    await page.goto(sessionUrl);
    await fillCard(page, CARD_OK);
    await payButton(page).click();
    await heading(page, 'Payment complete').waitFor();

    const card = CARD_OK.replaceAll(' ', '');
    const { pathname, origin } = new URL(sessionUrl);
    for (const request of requests) {
      const url = new URL(request.url());
      expect(url.origin).toBe(origin);
      expect(url.href.replace(url.hash, '')).not.toContain(secret);
      expect(request.postData() ?? '').not.toContain(secret);
      const { authorization, referer } = await request.allHeaders();
      expect(authorization).toBe(
        url.pathname.startsWith(`${pathname}/api/`) ? `Bearer ${secret}` : undefined,
      );
      expect(referer).toBeUndefined();
    }
    const withCard = requests.filter((request) => (request.postData() ?? '').includes(card));
    expect(withCard.map((request) => new URL(request.url()).pathname)).toEqual([`${pathname}/api/pay`]);
    const kept = await page.evaluate(() =>
      JSON.stringify([
        history.state,
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.cookie,
        document.body.innerHTML,
      ]),
    );
    expect(kept).not.toContain(card);
    expect(service.logs()).not.toContain(card);
    expect(service.logs()).not.toContain(secret);
    await close(page);
  });
});

it(
  'R-60 the second click of a double click on the link presses nothing',
  { tags: ['thorough'] },
  async () => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, CARD);
    const session = await service.create('payment', { ClientUser });
    const page = await visit(browser, session.sessionUrl);
    await payButton(page).hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await payButton(page).isEnabled()).toBe(true);
    expect(await paymentsOf(session)).toEqual([]);
    await payButton(page).click();
    await heading(page, 'Payment complete').waitFor();
    expect(await paymentsOf(session)).toHaveLength(1);
    await close(page);
  },
);

it('R-60 the second of two taps on the link presses nothing', { tags: 'thorough' }, async () => {
  const ClientUser = someCustomer();
  await save(service, ClientUser, CARD);
  const session = await service.create('payment', { ClientUser });
  const context = await browser.newContext({ hasTouch: true });
  await context.addInitScript(() => {
    // Delays the code that delays presses, so the test doesn't depend on speed.
    new MutationObserver(() => {
      for (const each of document.getAnimations()) each.pause();
    }).observe(document, { subtree: true, childList: true });
    addEventListener('click', ({ target, detail }) => {
      const pressed = (target as Element).closest('button') ? 'a button' : 'nothing';
      document.documentElement.dataset['pressed'] = `${detail} on ${pressed}`;
    });
  });
  const page = await visit(await context.newPage(), session.sessionUrl);
  const { x, y, width, height } = (await payButton(page).boundingBox())!;
  await page.touchscreen.tap(x + width / 2, y + height / 2);
  // The first of the two went to another page, so the browser counts each as a first click.
  await expect.poll(() => page.locator('html').getAttribute('data-pressed')).toBe('1 on nothing');
  expect(await paymentsOf(session)).toEqual([]);
  await page.evaluate(() => document.getAnimations().forEach((each) => each.finish()));
  await payButton(page).click();
  await heading(page, 'Payment complete').waitFor();
  expect(await paymentsOf(session)).toHaveLength(1);
  await context.close();
});

it('pays on a development network over http:', { tags: 'thorough' }, async () => {
  const insecure = await startService({ args: ['--public-url', 'http://pay.test'] });
  const own = await launch('chromium', {
    args: [`--host-resolver-rules=MAP pay.test ${new URL(insecure.url).host}`],
  });
  const { sessionUrl } = await insecure.create('payment');
  const page = await visit(own, sessionUrl);
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await fillCard(page, CARD_OK);
  await payButton(page).click();
  await heading(page, 'Payment complete').waitFor();
  const { sessionUrl: wallet } = await insecure.create('wallet');
  await visit(page, wallet);
  await page.getByRole('button', { name: 'Add a payment method' }).click();
  await fillCard(page, CARD_OK);
  await page.getByRole('button', { name: 'Save', exact: false }).click();
  await page.getByText('Visa ending in 4242').first().waitFor();
  await own.close();
  await insecure.stop();
});

it('shows hostile values as values', async () => {
  const session = await service.create('payment', {
    BusinessUnitSlug: 'hostile',
    PaymentDescriptor: '<img src=x onerror=alert(1)>',
    ClientReference: 'javascript:alert(1)//\u202Egnp.exe',
    Charges: [
      { Amount: 100, Description: '<script>alert(1)</script>\u2066\u202E' },
      {
        Amount: 100,
        ClientAccount: {
          AccountNumber: '"><svg onload=alert(1)>',
          Name: 'x'.repeat(10_000),
          Note: '{{7*7}}',
        },
      },
    ],
    ReturnUrl: 'https://shop.example/"onclick="alert(1)',
    SuccessUrl: 'https://shop.example/',
  });
  const shown = await openTab(browser);
  const errors = collectErrors(shown);
  let dialogs = 0;
  shown.on('dialog', (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  await shown.goto(session.sessionUrl);
  await payButton(shown).waitFor();
  const text = await shown.locator('body').innerText();
  expect(text).toContain('<script>alert(1)</script>');
  expect(text).toContain('<img src=x onerror=alert(1)>');
  expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  expect(text.length).toBeLessThan(3_000);
  expect(await shown.locator('#page img, #page script, #page svg[onload], [onclick]').count()).toBe(0);
  expect([dialogs, errors]).toEqual([0, []]);
  await close(shown);
});

describe('the page', () => {
  it('loads at most 24 kB from one origin until its form accepts a card, and paints before its session is known', async () => {
    const { sessionUrl } = await service.create('payment');
    const context = await browser.newContext();
    const page = await context.newPage();
    const respond = await holdResponses(page, '**/api/session');
    const requests: Request[] = [];
    page.on('requestfinished', (request) => requests.push(request));
    await page.goto(sessionUrl);
    await page.getByText('Harborlight Water').first().waitFor();
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    const card = await page.locator('.skeleton .card').boundingBox();
    expect(await payButton(page).count()).toBe(0);
    const before = requests.map((request) => request.url());
    respond();
    await payButton(page).waitFor();
    const { x, y, width, height } = (await page.locator('.payment .card').boundingBox())!;
    expect(card).toMatchObject({ x, y, width });
    // A line more or less, depending on the font.
    expect(Math.abs((card?.height ?? 0) - height)).toBeLessThanOrEqual(24);

    // Code that loads after the form is requested after it.
    const late = /\/(?:late|text-after)-/;
    expect(before.filter((url) => late.test(url))).toEqual([]);
    const files = requests.filter((request) => !/\/api\//.test(request.url()) && !late.test(request.url()));
    let bytes = 0;
    for (const request of files) {
      const response = await request.response();
      expect(response?.headers()['content-encoding'], request.url()).toBe('br');
      bytes += (await request.sizes()).responseBodySize;
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(24_000);
    expect(new Set(requests.map((request) => new URL(request.url()).origin)).size).toBe(1);
    await context.close();
  });

  it(
    'R-60 waits with a payment until the code that shows its outcome has loaded, and then pays once',
    { tags: 'thorough' },
    async () => {
      const session = await service.create('payment');
      const page = await openTab(browser);
      const respondLate = await holdResponses(page, '**/assets/late-*');
      const sent: string[] = [];
      page.on('request', (request) => sent.push(new URL(request.url()).pathname));
      await page.goto(session.sessionUrl);
      await fillCard(page, CARD_OK);
      await payButton(page).click();
      await page.getByRole('button', { name: 'One moment…' }).waitFor();
      // So that it pays what the payer saw.
      expect(await page.locator('#payment-form input:enabled').count()).toBe(0);
      expect(sent.filter((path) => path.endsWith('/pay'))).toEqual([]);
      respondLate();
      await heading(page, 'Payment complete').waitFor();
      expect(sent.filter((path) => path.endsWith('/pay'))).toHaveLength(1);
      await close(page);
    },
  );

  it.each(MATRIX_ENGINES)(
    'R-60 says so if that code fails to load, sends nothing, and pays once it has loaded: %s',
    { tags: ['thorough'] },
    async (engine) => {
      const other = engine === 'chromium' ? browser : await launch(engine);
      const session = await service.create('payment');
      const page = await openTab(other);
      let isGone = true;
      await page.route('**/assets/late-*', (route) =>
        isGone ? route.fulfill({ status: 503 }) : route.continue(),
      );
      const sent: string[] = [];
      page.on('request', (request) => sent.push(new URL(request.url()).pathname));
      await page.goto(session.sessionUrl);
      await fillCard(page, CARD_OK);
      await payButton(page).click();
      await page.getByRole('alert').filter({ hasText: 'We couldn’t load this page' }).waitFor();
      expect(sent.filter((path) => path.endsWith('/pay'))).toEqual([]);
      isGone = false;
      await page.getByText('We couldn’t load this page').waitFor({ state: 'detached' });
      await payButton(page).click();
      await heading(page, 'Payment complete').waitFor();
      expect(await paymentsOf(session)).toHaveLength(1);
      await close(page);
      if (other !== browser) await other.close();
    },
  );

  it('opens on retry if it could not reach its service', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await openTab(browser);
    await page.route('**/api/session', (route) => route.abort());
    await page.goto(sessionUrl);
    await heading(page, 'We can’t connect right now').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await payButton(page).waitFor();
    await close(page);
  });

  it('says so if its script or texts fail to load', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    for (const file of ['payment-', 'text-payment-en-']) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.route(`**/assets/${file}*`, (route) => route.abort());
      await page.goto(sessionUrl);
      await page.getByText('We couldn’t load this page').waitFor();
      await context.close();
    }
  });

  it('respects reduced motion, and is readable in high contrast', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    await page.route('**/api/pay', () => undefined);
    await fillCard(page);
    await payButton(page).click();
    await page.getByRole('button', { name: 'Processing…' }).waitFor();
    const moving = () => page.evaluate(() => document.getAnimations().length);
    await expect.poll(moving).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect.poll(moving).toBe(0);

    const radio = page.getByRole('radio', { name: 'Card', exact: true });
    const border = (name: string) =>
      page
        .locator('.choice', { has: page.getByRole('radio', { name, exact: true }) })
        .evaluate((tile) => getComputedStyle(tile).borderWidth);
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    expect(await radio.isChecked()).toBe(true);
    const unlike = await border('Bank account');
    await expect.poll(() => border('Card')).not.toBe(unlike);
    await page.emulateMedia({ forcedColors: 'none', contrast: 'more', reducedMotion: 'reduce' });
    expect(await axeViolations(page)).toEqual([]);
    await close(page);
  });

  it('WCAG 1.3.5 every field has an autocomplete token', { tags: 'thorough' }, async () => {
    const ClientUser = someCustomer();
    const managed = { ClientUser, SyncAccount: true, ClientAccount: someAccount() };
    const CARD_FIELDS = ['cc-number', 'cc-exp', 'cc-csc', 'cc-name', 'billing postal-code'];
    const BANK_FIELDS = ['name', 'off', 'off'];
    const page = await openTab(browser);
    const tokens = () =>
      page
        .locator('#page input:not([type=radio], [type=checkbox]), #page select')
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).autocomplete));
    const forms: [Flow, Record<string, unknown>, string[]][] = [
      ['payment', {}, []],
      ['autopay', managed, []],
      ['wallet', { ClientUser }, []],
      // Amounts and dates aren't personal data.
      ['schedule-payment', managed, ['off', 'off']],
    ];
    for (const [flow, body, first] of forms) {
      await page.goto((await service.create(flow, body)).sessionUrl);
      if (flow === 'wallet') await page.getByRole('button', { name: 'Add a payment method' }).click();
      await page.getByLabel('Card number').waitFor();
      expect(await tokens(), flow).toEqual([...first, ...CARD_FIELDS]);
      await page.getByRole('radio', { name: 'Bank account' }).check();
      await page.getByLabel('Routing number').waitFor();
      expect(await tokens(), `${flow}, bank`).toEqual([...first, ...BANK_FIELDS]);
    }
    await page.goto((await service.create('notifications', { ClientUser })).sessionUrl);
    await page.getByLabel('Mobile phone number').waitFor();
    expect(await tokens()).toEqual(['tel']);
    await close(page);
  });

  it(
    'sets input modes, and formats while typing without moving the caret',
    { tags: 'thorough' },
    async () => {
      const { sessionUrl } = await service.create('payment');
      const page = await visit(browser, sessionUrl);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const number = page.getByLabel('Card number');
      const attributes = (label: string) =>
        page
          .getByLabel(label)
          .evaluate((input: HTMLInputElement) => [input.autocomplete, input.inputMode, input.enterKeyHint]);
      expect(await attributes('Card number')).toEqual(['cc-number', 'numeric', 'next']);
      expect(await attributes('Expiry date')).toEqual(['cc-exp', 'numeric', 'next']);
      expect(await attributes('Security code')).toEqual(['cc-csc', 'numeric', 'next']);
      expect(await attributes('Name on card')).toEqual(['cc-name', '', 'next']);
      expect(await attributes('ZIP code')).toEqual(['billing postal-code', 'numeric', 'go']);

      await number.pressSequentially('424242424242');
      expect(await number.inputValue()).toBe('4242 4242 4242');
      await page.getByRole('img', { name: 'Visa' }).waitFor();
      for (let step = 0; step < 9; step++) await page.keyboard.press('ArrowLeft');
      await page.keyboard.type('11');
      expect(await number.inputValue()).toBe('4242 1142 4242 42');
      expect(await number.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(7);

      await number.fill('');
      await page.evaluate(() => navigator.clipboard.writeText(' 5555-5555-5555-4444\n'));
      await page.keyboard.press('Control+V');
      await expect.poll(() => number.inputValue()).toBe('5555 5555 5555 4444');
      await page.getByRole('img', { name: 'Mastercard' }).waitFor();

      const zip = page.getByLabel('ZIP code');
      await zip.pressSequentially('041011234');
      expect(await zip.inputValue()).toBe('04101-1234');
      // From another country: refused as typed, never rewritten.
      await zip.fill('');
      await zip.pressSequentially('K1A 0B1');
      expect(await zip.inputValue()).toBe('K1A 0B1');
      await payButton(page).click();
      await page.getByText('Enter 5 or 9 digits.').first().waitFor();
      await close(page);
    },
  );

  it('shows each error next to its field, focuses the first, and doesn’t shift while they are fixed', async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    await fillBank(page, '12');
    await page.getByLabel('Routing number').fill('110000001');
    await payButton(page).click();
    const summary = page.getByRole('alert');
    await summary.waitFor();
    expect(await summary.innerText()).toBe('2 fields need attention');
    const routing = page.getByLabel('Routing number');
    await focusOn(routing);
    expect(await page.locator('.problem').allInnerTexts()).toEqual([
      'Enter a valid 9-digit routing number.',
      'Enter 4\u00a0to\u00a017 digits.',
    ]);
    const before = await payButton(page).boundingBox();
    expect(await routing.getAttribute('aria-invalid')).toBe('true');
    expect(await routing.getAttribute('aria-describedby')).toContain('problem');
    await routing.fill('110000000');
    await expect.poll(() => routing.getAttribute('aria-invalid')).toBe('false');
    expect(await payButton(page).boundingBox()).toEqual(before);
    expect(await summary.innerText()).toBe('2 fields need attention');
    await close(page);
  });

  it('refuses bank numbers that are too long instead of cutting them off', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    // Routing and account number, copied together.
    await fillBank(page, '110000000 000123456789');
    await page.getByLabel('Routing number').fill('110000000 000123456789');
    await payButton(page).click();
    await expect
      .poll(() => page.locator('.problem').allInnerTexts())
      .toEqual(['Enter a valid 9-digit routing number.', 'Enter 4\u00a0to\u00a017 digits.']);
    await close(page);
  });

  it(
    'R-35 links back before a payment and to the success page after it, at top level',
    { tags: ['thorough'] },
    async () => {
      const urls = { SuccessUrl: 'https://shop.example/paid', ReturnUrl: 'https://shop.example/bills' };
      const { sessionUrl } = await service.create('payment', urls);
      const page = await visit(browser, sessionUrl);
      const target = (name: string) =>
        page.getByRole('link', { name }).evaluate((link: HTMLAnchorElement) => [link.href, link.target]);
      expect(await target('Back to Harborlight Water')).toEqual([urls.ReturnUrl, '_top']);
      await fillCard(page);
      await payButton(page).click();
      await heading(page, 'Payment complete').waitFor();
      expect(await target('Continue')).toEqual([urls.SuccessUrl, '_top']);
      expect(await target('Back to Harborlight Water')).toEqual([urls.ReturnUrl, '_top']);
      await close(page);
    },
  );

  it('R-34 D-8 names the agent and offers no wallet', { tags: ['thorough'] }, async () => {
    const { sessionUrl } = await service.create('payment', { Channel: 'POS', PosUser: AGENT });
    const page = await visit(browser, sessionUrl);
    await page.getByText(`Payment taken by ${AGENT}`).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await close(page);
  });

  it('R-28 offers only the session’s methods, with the first selected', { tags: ['thorough'] }, async () => {
    const { sessionUrl } = await service.create('payment', { PaymentMethods: ['ACH'] });
    const page = await visit(browser, sessionUrl);
    expect(await page.locator('[name=method]').count()).toBe(1);
    expect(await page.getByRole('radio', { name: 'Bank account', exact: true }).isChecked()).toBe(true);
    await close(page);
  });
});

describe('one payment', () => {
  it('is sent once, however often Pay is pressed', async () => {
    const session = await service.create('payment');
    const page = await visit(browser, session.sessionUrl);
    await fillCard(page);
    await page.evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>('#pay');
      for (let press = 0; press < 5; press++) button?.click();
      button?.form?.requestSubmit();
    });
    await heading(page, 'Payment complete').waitFor();
    expect(await paymentsOf(session)).toHaveLength(1);
    await close(page);
  });

  it('in one tab is shown by another', { tags: ['thorough'] }, async () => {
    const session = await service.create('payment');
    const pages = await Promise.all([visit(browser, session.sessionUrl), visit(browser, session.sessionUrl)]);
    await Promise.all(pages.map((page) => fillCard(page)));
    // Not `click`, which waits: the other tab's receipt may replace the button meanwhile.
    await Promise.all(pages.map((page) => payButton(page).dispatchEvent('click')));
    await Promise.all(pages.map((page) => heading(page, 'Payment complete').waitFor()));
    expect(await paymentsOf(session)).toHaveLength(1);
    await Promise.all(pages.map(close));
  });

  it('shows its receipt after a lost response', { tags: ['thorough'] }, async () => {
    const session = await service.create('payment');
    const page = await visit(await freshPage(), session.sessionUrl);
    await service.control.fault({ kind: 'drop-after-commit', path: '/s/*/api/pay' });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
    await fillCard(page);
    await payButton(page).click();
    await heading(page, 'Payment complete').waitFor();
    expect(sent.filter((path) => path === 'pay')).toHaveLength(1);
    expect(await paymentsOf(session)).toMatchObject([{ status: 'succeeded' }]);
    await close(page);
  });

  // A closed connection says the least. The whole matrix also tests an error status.
  it.each(IS_MATRIX ? (['drop-before-commit', 'status'] as const) : (['drop-before-commit'] as const))(
    'R-60 that never arrived (%s) is abandoned, and the payer pays once with a new attempt',
    async (kind) => {
      const session = await service.create('payment');
      const page = await visit(await freshPage(), session.sessionUrl);
      await service.control.fault({
        kind,
        path: '/s/*/api/pay',
        ...(kind === 'status' ? { status: 503 } : {}),
      });
      const attempts: string[] = [];
      page.on('request', (request) => {
        const body = request.url().endsWith('/api/pay')
          ? (request.postDataJSON() as { attemptId: string })
          : null;
        if (body !== null) attempts.push(body.attemptId);
      });
      await fillCard(page);
      await payButton(page).click();
      await page.getByRole('alert').filter({ hasText: 'didn’t reach us' }).waitFor();
      expect(await page.getByLabel('Card number').inputValue()).toBe(CARD_OK);
      await payButton(page).click();
      await heading(page, 'Payment complete').waitFor();
      expect(attempts).toHaveLength(2);
      // The first attempt was abandoned, so it must not start a payment if it arrives late.
      expect(new Set(attempts).size).toBe(2);
      expect(await paymentsOf(session)).toMatchObject([{ status: 'succeeded' }]);
      await close(page);
    },
  );

  it('that takes long says so when the payer asks, each time', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await service.create('payment');
    const page = await visit(browser, sessionUrl);
    let attemptId: unknown;
    const processing = (route: Route) =>
      route.fulfill({ json: { ok: true, data: { attemptId, status: 'processing' } } });
    await page.route('**/api/pay', (route) => {
      ({ attemptId } = route.request().postDataJSON() as { attemptId: string });
      return processing(route);
    });
    let answer: () => void = () => undefined;
    await page.route('**/api/attempts/*', async (route) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return processing(route);
    });
    await fillCard(page);
    await payButton(page).click();
    const status = page.locator('.statement [role=status]');
    for (let time = 0; time < 2; time++) {
      await page.getByRole('button', { name: 'Check now' }).click();
      await expect.poll(() => status.innerText()).toBe('One moment…');
      await expect
        .poll(() => {
          answer();
          return status.innerText();
        })
        .toBe('Processing your payment. Please keep this page open.');
    }
    await close(page);
  });

  it('survives a reload while in flight', { tags: 'thorough' }, async () => {
    const session = await service.create('payment');
    const page = await visit(browser, session.sessionUrl);
    await service.control.fault({ kind: 'latency', path: '/s/*/api/pay', ms: 5_000 });
    await fillCard(page);
    await payButton(page).click();
    await page.getByRole('button', { name: 'Processing…' }).waitFor();
    await page.reload();
    await page.locator('#page .statement').waitFor();
    // Either the request survived the reload, or it never arrived and the form is shown again with the same attempt.
    await page
      .getByRole('heading', { name: 'Payment complete' })
      .or(page.getByRole('alert').filter({ hasText: 'didn’t reach us' }))
      .waitFor();
    if (await payButton(page).isVisible()) {
      await fillCard(page);
      await payButton(page).click();
      await heading(page, 'Payment complete').waitFor();
    }
    expect(await paymentsOf(session)).toHaveLength(1);
    await close(page);
  });
});

it('keeps the form after a decline, and the next card pays', { tags: 'thorough' }, async () => {
  const session = await service.create('payment', { ClientUser: someCustomer() });
  const page = await visit(browser, session.sessionUrl);
  await fillCard(page, CARD_DECLINED);
  await payButton(page).click();
  const alert = page.getByRole('alert').filter({ hasText: 'declined' });
  await alert.waitFor();
  await focusOn(alert);
  expect(await page.getByLabel('Card number').inputValue()).toBe(CARD_DECLINED);
  expect(await page.getByLabel('Security code').inputValue()).toBe('123');
  await page.getByLabel('Card number').fill(CARD_OK);
  await payButton(page).click();
  await heading(page, 'Payment complete').waitFor();
  expect((await paymentsOf(session)).map(({ status }) => status).sort()).toEqual(['declined', 'succeeded']);
  await close(page);
});

describe('a management page', () => {
  const loseResponse = async (route: Route): Promise<void> => {
    await route.fetch();
    await route.abort();
  };

  /** A session of a new customer, who has a saved card in most flows. */
  const start = async (flow: Flow, { hasCard = true } = {}) => {
    const ClientUser = someCustomer();
    const ClientAccount = someAccount();
    const methodId = hasCard ? await save(service, ClientUser, CARD) : '';
    const isOfCustomer = flow === 'wallet' || flow === 'notifications';
    const body = { ClientUser, ...(!isOfCustomer && { SyncAccount: true, ClientAccount }) };
    return { ClientUser, ClientAccount, methodId, body, ...(await service.create(flow, body)) };
  };

  it('repeats no action if the second response is lost as well', { tags: ['thorough'] }, async () => {
    const { ClientUser, sessionUrl } = await start('wallet', { hasCard: false });
    const page = await visit(await freshPage(), sessionUrl);
    await page.getByRole('button', { name: 'Add a payment method' }).click();
    await fillCard(page);
    await page.route('**/api/methods', loseResponse, { times: 2 });
    await page.getByRole('button', { name: 'Save payment method' }).click();
    await page.getByRole('alert').filter({ hasText: 'safe to try again' }).waitFor();
    await page.getByRole('button', { name: 'Save payment method' }).click();
    await page.getByRole('status').filter({ hasText: 'is saved' }).waitFor();
    const { paymentMethods } = await service.control.state();
    expect(
      paymentMethods.filter(({ EmailAddress }) => EmailAddress === ClientUser.EmailAddress),
    ).toHaveLength(1);
    await close(page);
  });

  describe('R-60 schedules one payment', () => {
    const startScheduling = async () => {
      const { ClientAccount, body, sessionUrl } = await start('schedule-payment');
      const amounts = async () => {
        const { scheduledPayments } = await service.control.state();
        return scheduledPayments
          .filter(({ AccountNumber }) => AccountNumber === ClientAccount['AccountNumber'])
          .map(({ amount }) => amount);
      };
      const cancelAll = async (): Promise<void> => {
        const session = await service.create('scheduled-payments', body);
        const { scheduled } = (await ask(session, 'session')) as { scheduled: { id: string }[] };
        for (const { id } of scheduled) await ask(session, `scheduled/${id}/cancel`, {});
      };
      return { sessionUrl, amounts, cancelAll };
    };
    const press = async (page: Page, amount = '84.20'): Promise<void> => {
      await page.getByRole('button', { name: /^Tomorrow/ }).click();
      await page.getByLabel('Amount').fill(amount);
      await page.getByRole('button', { name: `Schedule $${amount}` }).click();
    };
    const another = (page: Page) => page.getByRole('button', { name: 'Schedule another payment' });

    it.each(['84.20', '50.00'])(
      'in two tabs, unless the payer sees it: then $%s',
      { tags: 'thorough' },
      async (amount) => {
        const { sessionUrl, amounts } = await startScheduling();
        const [one, two] = [await visit(browser, sessionUrl), await visit(browser, sessionUrl)];
        await press(one);
        await one.getByRole('status').filter({ hasText: '$84.20 will be paid' }).waitFor();
        await press(two, amount);
        const notice = two.getByRole('alert').filter({ hasText: 'A payment is already scheduled.' });
        await notice.waitFor();
        await focusOn(notice);
        await two.getByRole('listitem').filter({ hasText: '$84.20' }).waitFor();
        expect(await amounts()).toEqual([8420]);
        await another(two).click();
        await press(two, amount);
        await two
          .getByRole('status')
          .filter({ hasText: `$${amount} will be paid` })
          .waitFor();
        expect(await amounts()).toEqual([8420, Number(amount) * 100]);
        await close(one);
        await close(two);
      },
    );

    it('and lists none that was canceled elsewhere', { tags: 'thorough' }, async () => {
      const { sessionUrl, amounts, cancelAll } = await startScheduling();
      const [one, two] = [await visit(browser, sessionUrl), await visit(browser, sessionUrl)];
      await press(one);
      await one.getByRole('status').filter({ hasText: '$84.20 will be paid' }).waitFor();
      await cancelAll();
      await press(two, '50.00');
      await two.getByRole('status').filter({ hasText: '$50.00 will be paid' }).waitFor();
      await another(one).click();
      await press(one);
      await one.getByRole('alert').filter({ hasText: 'A payment is already scheduled.' }).waitFor();
      expect(await one.getByRole('listitem').count()).toBe(1);
      expect(await amounts()).toEqual([8420, 5000]);
      await close(one);
      await close(two);
    });

    it(
      'if the payer changes it after lost responses, or reloads the page',
      { tags: ['thorough'] },
      async () => {
        const { sessionUrl, amounts } = await startScheduling();
        const page = await visit(await calmTab(), sessionUrl);
        await page.route('**/api/schedule', loseResponse, { times: 2 });
        await press(page);
        await page.getByRole('alert').filter({ hasText: 'safe to try again' }).waitFor();
        await press(page, '50.00');
        await page.getByRole('alert').filter({ hasText: 'A payment is already scheduled.' }).waitFor();
        await page.reload();
        await another(page).waitFor();
        await page.getByRole('listitem').filter({ hasText: '$84.20' }).waitFor();
        expect(await amounts()).toEqual([8420]);
        await close(page);
      },
    );
  });

  it('says which days can be chosen if the day of the page has passed', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await start('schedule-payment');
    const page = await openTab(browser);
    const openedYesterday = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      const answer = (await response.json()) as { data: { today: string } };
      await route.fulfill({ json: { ...answer, data: { ...answer.data, earliest: answer.data.today } } });
    };
    await page.route('**/api/session', openedYesterday, { times: 1 });
    await visit(page, sessionUrl);
    const tomorrow = page.getByRole('button', { name: /^Tomorrow/ });
    const passed = await tomorrow.innerText();
    await tomorrow.click();
    await page.getByRole('button', { name: /^Schedule \$/ }).click();
    const problem = page.locator('.problem').filter({ hasText: 'Choose a date from' });
    await problem.waitFor();
    const next = (await tomorrow.innerText()).replace('Tomorrow, ', '');
    expect(`Tomorrow, ${next}`).not.toBe(passed);
    expect(await problem.innerText()).toContain(`from ${next}`);
    await page
      .locator('.hint')
      .filter({ hasText: `From ${next}` })
      .waitFor();
    await tomorrow.click();
    await page.getByRole('button', { name: /^Schedule \$/ }).click();
    await page.getByRole('status').filter({ hasText: 'will be paid' }).waitFor();
    await close(page);
  });

  it(
    'R-60 shows what is stored if the payer changes their mind after lost responses',
    { tags: 'thorough' },
    async () => {
      const session = await start('paperless');
      await ask(session, 'paperless', { enrolled: true });
      const page = await visit(browser, session.sessionUrl);
      await page.getByRole('button', { name: 'Go back to paper bills' }).click();
      await page.route('**/api/paperless', loseResponse, { times: 1 });
      await page.getByRole('button', { name: 'Yes, send paper bills' }).click();
      await page.getByRole('alert').filter({ hasText: 'Your connection was lost' }).waitFor();
      await page.getByRole('button', { name: 'Stay paperless' }).click();
      await page.getByText('Paperless billing is off').waitFor();
      await close(page);
    },
  );

  it(
    'R-60 R-106 shows which method AutoPay charges if the payer cancels after a lost response',
    { tags: 'thorough' },
    async () => {
      const session = await start('autopay');
      await ask(session, 'autopay/enroll', { methodId: session.methodId });
      const page = await visit(browser, session.sessionUrl);
      await page.getByText('Visa ending in 4242').first().waitFor();
      await page.getByRole('button', { name: 'Change payment method' }).click();
      await fillBank(page);
      await page.route('**/api/autopay/method', loseResponse, { times: 1 });
      await page.getByRole('button', { name: 'Use this payment method' }).click();
      await page.getByRole('alert').filter({ hasText: 'Your connection was lost' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Change payment method' }).waitFor();
      expect(await page.locator('.panel').first().innerText()).toContain('6789');
      await close(page);
    },
  );

  describe('R-60 makes each change once if its first request has no response', () => {
    const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
    /** `again` is the button that the payer must press again. */
    type Step = readonly [make: (page: Page) => Promise<void>, shown: string, again?: string];
    const flows: readonly (readonly [flow: Flow, savedMethods: number, steps: readonly Step[]])[] = [
      [
        'autopay',
        2,
        [
          [
            async (page) => {
              await page.getByRole('checkbox', { name: /I agree/ }).check();
              await press(page, 'Turn on AutoPay');
            },
            'AutoPay is now on.',
            'Turn on AutoPay',
          ],
          [
            async (page) => {
              await press(page, 'Change payment method');
              await fillBank(page);
              await press(page, 'Use this payment method');
            },
            'AutoPay now uses this payment method.',
            'Use this payment method',
          ],
          [
            async (page) => {
              await press(page, 'Turn off AutoPay');
              await press(page, 'Yes, turn it off');
            },
            'AutoPay is now off.',
            'Yes, turn it off',
          ],
        ],
      ],
      [
        'schedule-payment',
        2,
        [
          [
            async (page) => {
              await press(page, /^Tomorrow/);
              await fillBank(page);
              await press(page, 'Schedule $84.20');
            },
            '$84.20 will be paid',
          ],
        ],
      ],
      [
        'wallet',
        1,
        [
          [
            async (page) => {
              await press(page, 'Add a payment method');
              await fillBank(page);
              await press(page, 'Save payment method');
            },
            'Bank account ending in 6789 is saved.',
          ],
          [
            async (page) => {
              await press(page, 'Manage Bank account ending in 6789');
              await press(page, 'Make default: Bank account ending in 6789');
            },
            'Bank account ending in 6789 is now the default',
          ],
          [
            async (page) => {
              await press(page, 'Manage Visa ending in 4242');
              await press(page, 'Rename Visa ending in 4242');
              await page.getByLabel('Nickname for this payment method').fill('Mine');
              await press(page, 'Save nickname');
            },
            'Nickname updated',
          ],
          [
            async (page) => {
              await press(page, 'Manage Visa ending in 4242');
              await press(page, 'Edit expiry of Visa ending in 4242');
              await page.getByLabel('Expiry date').fill('01/36');
              await press(page, 'Save expiry date');
            },
            'Expiry date updated for Visa ending in 4242',
          ],
          [
            async (page) => {
              await press(page, 'Manage Visa ending in 4242');
              await press(page, 'Delete Visa ending in 4242');
              await press(page, /^Yes/);
            },
            'Visa ending in 4242 was deleted',
          ],
        ],
      ],
      [
        'paperless',
        1,
        [[(page) => press(page, 'Go paperless'), 'Paperless billing is now on.', 'Go paperless']],
      ],
      [
        'notifications',
        1,
        [
          [
            async (page) => {
              await page.getByRole('group', { name: 'New bills' }).getByLabel('Text message').check();
              await page.getByLabel('Mobile phone number').pressSequentially('2075550123');
              await press(page, 'Save preferences');
            },
            'Your preferences are saved.',
            'Save preferences',
          ],
        ],
      ],
      [
        'scheduled-payments',
        1,
        [
          [
            async (page) => {
              await press(page, /^Cancel payment of/);
              await press(page, 'Yes, cancel it');
            },
            'The $40.00 payment was canceled.',
          ],
        ],
      ],
    ];
    const losses = { 'a lost response': loseResponse, 'a lost request': (route: Route) => route.abort() };
    const cases = flows.flatMap(([flow, savedMethods, steps]) =>
      Object.entries(losses).map(([loss, lose]) => [flow, loss, lose, savedMethods, steps] as const),
    );

    it.each(firstOf(2, cases))('%s: %s', async (flow, _, lose, savedMethods, steps) => {
      const { ClientUser, ClientAccount, methodId, sessionUrl } = await start(flow);
      const schedules = flow === 'scheduled-payments';
      if (schedules) await schedule(service, ClientUser, ClientAccount, { amount: 4_000, days: 3, methodId });
      const page = await visit(await calmTab(), sessionUrl);
      const sent = new Map<string, string[]>();
      await page.route('**/api/**', (route) => {
        const request = route.request();
        const bodies = [...(sent.get(request.url()) ?? []), request.postData() ?? ''];
        if (request.method() === 'POST') sent.set(request.url(), bodies);
        return request.method() === 'POST' && bodies.length === 1 ? lose(route) : route.continue();
      });
      const lost = page.getByText('Your connection was lost');
      for (const [make, shown, again] of steps) {
        await make(page);
        if (again !== undefined) {
          await lost.waitFor();
          await press(page, again);
        }
        await page.getByRole('status').filter({ hasText: shown }).waitFor();
        expect(await lost.count()).toBe(0);
      }
      for (const [first, ...others] of sent.values()) expect([...new Set(others)]).toEqual([first]);
      const { paymentMethods, scheduledPayments } = await service.control.state();
      const own = paymentMethods.filter(({ EmailAddress }) => EmailAddress === ClientUser.EmailAddress);
      expect(own).toHaveLength(savedMethods);
      const scheduled = scheduledPayments.filter(
        ({ AccountNumber }) => AccountNumber === ClientAccount['AccountNumber'],
      );
      expect(scheduled).toHaveLength(schedules || flow === 'schedule-payment' ? 1 : 0);
      await close(page);
    });

    it.each([
      [429, 'rate_limited'],
      [410, 'expired'],
    ])(
      'unless the second is refused with %i, which does not tell whether the first was made',
      { tags: ['thorough'] },
      async (status, code) => {
        const { sessionUrl } = await start('wallet');
        const page = await visit(await calmTab(), sessionUrl);
        const answers = [
          loseResponse,
          (route: Route) =>
            route.fulfill({
              status,
              json: { ok: false, errors: [{ code, message: '' }] },
            }),
        ];
        await page.route('**/api/methods/*/remove', (route) => answers.shift()?.(route), { times: 2 });
        await press(page, 'Manage Visa ending in 4242');
        await press(page, 'Delete Visa ending in 4242');
        await press(page, /^Yes/);
        const failure = page.getByRole('alert').filter({ hasText: 'Your connection was lost' });
        await failure.waitFor();
        await focusOn(failure);
        await close(page);
      },
    );
  });

  it(
    'R-28 says next to the methods why a card can’t be used on the chosen day',
    { tags: 'thorough' },
    async () => {
      const { sessionUrl } = await start('schedule-payment', { hasCard: false });
      const page = await visit(browser, sessionUrl);
      await fillCard(page);
      const last = (await page.getByLabel('Payment date').getAttribute('max')) ?? '';
      await page.getByLabel('Amount').fill('25');
      await page.getByLabel('Payment date').fill(last);
      await page.getByLabel('Expiry date').fill(`01${last.slice(2, 4)}`);
      await page.getByRole('button', { name: /^Schedule/ }).click();
      await page.locator('.problem').filter({ hasText: 'expires before' }).waitFor();
      await close(page);
    },
  );
});

/** Opens a payment whose clock the test moves. */
async function openWithClock(): Promise<Page> {
  const { sessionUrl } = await service.create('payment');
  const context = await browser.newContext();
  await context.clock.install();
  const page = await context.newPage();
  await page.goto(sessionUrl);
  await payButton(page).waitFor();
  return page;
}

it('R-51 says that its session has ended while it is open', { tags: ['thorough'] }, async () => {
  const page = await openWithClock();
  const context = page.context();
  await context.clock.runFor('26:00');
  await page.getByText('This session ends in 4 minutes').waitFor();
  await context.clock.runFor('05:00');
  await heading(page, 'This session has expired').waitFor();
  await context.close();
});

it(
  'R-51 says that its session has ended after a payment that was declined later',
  { tags: 'thorough' },
  async () => {
    const page = await openWithClock();
    const context = page.context();
    await fillCard(page, CARD_DECLINED);
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/pay', async (route) => {
      const response = await route.fetch();
      await late;
      await route.fulfill({ response });
    });
    await context.clock.fastForward('29:55');
    await pressPay(page);
    await page.getByText('Processing…').waitFor();
    await context.clock.fastForward('00:06');
    expect(await payButton(page).or(page.getByText('Processing…')).count()).toBe(1);
    answer();
    await heading(page, 'This session has expired').waitFor();
    await context.close();
  },
);

it(
  'R-60 reports no verdict if it expires while offline, and then shows what another tab paid',
  { tags: 'thorough' },
  async () => {
    const session = await service.create('payment');
    const context = await browser.newContext();
    await context.clock.install();
    const page = await context.newPage();
    await page.goto(session.sessionUrl);
    await payButton(page).waitFor();
    await page.route('**/api/session', (route) => route.abort());
    await pay(session, CARD);
    await context.clock.runFor('31:00');
    await heading(page, 'This session has expired').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/charged/);
    await page.unroute('**/api/session');
    await context.clock.runFor('00:06');
    await heading(page, 'Payment complete').waitFor();
    await context.close();
  },
);

it(
  'R-60 R-64 says for an old payment that the receipt is no longer shown, not that it expired',
  { tags: 'thorough' },
  async () => {
    const later = await startService();
    try {
      const session = await later.create('payment');
      await pay(session, CARD);
      await later.control.advance('25h');
      const page = await visit(browser, session.sessionUrl);
      await heading(page, 'This receipt is no longer available here').waitFor();
      await close(page);
    } finally {
      await later.stop();
    }
  },
);

it(
  'R-51 says so when the payer pays in a session that has just expired',
  { tags: ['thorough'] },
  async () => {
    const session = await service.create('payment');
    const page = await visit(browser, session.sessionUrl);
    await service.control.advance('31m');
    await fillCard(page);
    await payButton(page).click();
    await heading(page, 'This session has expired').waitFor();
    expect(await paymentsOf(session)).toEqual([]);
    await close(page);
  },
);

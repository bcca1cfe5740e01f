/** Changes made in another tab or by an agent while a page is open. The page must report them and continue. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BUSINESS_UNIT,
  fillBank,
  fillCard,
  firstOf,
  IS_MATRIX,
  launch,
  startService,
  type Service,
  openTab,
} from '../harness/index.js';
import { LANGUAGES } from '../../packages/service/src/shared/languages.js';
import { changeSession } from './states/reach.js';
import { ask, BANK, CARD, save, someAccount, someCustomer, visit, type Customer } from './stage.js';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  [browser, service] = await Promise.all([launch('chromium'), startService()]);
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
});

const done = (page: Page): Promise<void> => page.close();
const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).click();
const inFocus = (page: Page): Promise<string> =>
  page.evaluate(() => (document.activeElement as HTMLElement).innerText);

/** A customer with a default card and a bank account. `remove` deletes one, like another tab. */
async function payer(): Promise<{
  ClientUser: Customer;
  card: string;
  bank: string;
  remove: (id: string) => Promise<unknown>;
}> {
  const ClientUser = someCustomer();
  const card = await save(service, ClientUser, CARD);
  const bank = await save(service, ClientUser, BANK);
  const wallet = await service.create('wallet', { ClientUser });
  return { ClientUser, card, bank, remove: (id) => ask(wallet, `methods/${id}/remove`, {}) };
}

describe('a method that was removed elsewhere', () => {
  it.each(firstOf(1, ['payment', 'autopay', 'schedule-payment'] as const))(
    'R-71 %s: disappears once the service refuses it, and the payer chooses another',
    { tags: ['thorough'] },
    async (flow) => {
      const { ClientUser, card, remove } = await payer();
      const account = flow === 'payment' ? {} : { SyncAccount: true, ClientAccount: someAccount() };
      const session = await service.create(flow, { ClientUser, ...account });
      const page = await visit(browser, session.sessionUrl);
      const gone = page.getByRole('radio', { name: '4242' });
      expect(await gone.isChecked()).toBe(true);
      await remove(card);
      const submit = { payment: /^Pay/, autopay: 'Turn on AutoPay', 'schedule-payment': /^Schedule \$/ }[
        flow
      ];
      if (flow === 'autopay') await page.getByRole('checkbox', { name: /I agree/ }).check();
      if (flow === 'schedule-payment') await press(page, /^Tomorrow/);
      await press(page, submit);
      await page.getByText('This payment method was deleted').waitFor();
      expect(await gone.count()).toBe(0);
      const next = page.getByRole('radio', { name: '6789' });
      await expect.poll(() => next.evaluate((radio) => radio === document.activeElement)).toBe(true);
      expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
      await next.check();
      expect(await page.getByText('This payment method was deleted').count()).toBe(0);
      await press(page, submit);
      const texts = {
        payment: 'Payment submitted',
        autopay: 'AutoPay is now on.',
        'schedule-payment': 'Payment scheduled',
      }[flow];
      await page.getByText(texts).first().waitFor();
      await done(page);
    },
  );

  it.each(firstOf(1, ['Make default', 'Edit expiry', 'Update card', 'Rename'] as const))(
    'R-71 wallet, %s: disappears, and a focused message says so',
    { tags: ['thorough'] },
    async (what) => {
      const { ClientUser, card, bank, remove } = await payer();
      const page = await openTab(browser);
      if (what === 'Update card') await changeSession(page, { editsExpiry: undefined });
      await visit(page, (await service.create('wallet', { ClientUser })).sessionUrl);
      const [id, last4] = what === 'Make default' ? [bank, '6789'] : [card, '4242'];
      const row = page.getByRole('listitem').filter({ hasText: last4 });
      await remove(id);
      await row.getByRole('button', { name: /^Manage/ }).click();
      await row.getByText(what, { exact: true }).click();
      if (what === 'Rename') {
        await page.getByLabel('Nickname for this payment method').fill('Mine');
        await press(page, 'Save nickname');
      } else if (what === 'Edit expiry') {
        await page.getByLabel('Expiry date').fill('01/36');
        await press(page, 'Save expiry date');
      } else if (what === 'Update card') {
        await fillCard(page);
        await press(page, 'Update card');
      }
      await page.getByText('was already deleted').waitFor();
      await expect.poll(() => inFocus(page)).toContain('was already deleted');
      expect(await row.count()).toBe(0);
      expect(await page.getByText('Reload the page').count()).toBe(0);
      await done(page);
    },
  );
});

describe('earlier notices', () => {
  const notice = (page: Page) => page.locator('.notice');

  it('wallet: disappear when another form or confirmation opens', { tags: 'thorough' }, async () => {
    const { ClientUser } = await payer();
    const page = await visit(browser, (await service.create('wallet', { ClientUser })).sessionUrl);
    const opens = [
      'Edit expiry of Visa ending in 4242',
      'Delete Visa ending in 4242',
      'Add a payment method',
    ];
    for (const [tries, name] of opens.entries()) {
      await press(page, 'Manage Visa ending in 4242');
      await press(page, 'Rename Visa ending in 4242');
      await page.getByLabel('Nickname for this payment method').fill(`Mine ${tries}`);
      await press(page, 'Save nickname');
      await notice(page).filter({ hasText: 'Nickname updated' }).waitFor();
      if (name !== 'Add a payment method') await press(page, 'Manage Visa ending in 4242');
      await press(page, name);
      await notice(page).waitFor({ state: 'detached' });
      await press(page, /^(?:Cancel|Keep it)$/);
    }
    // The change was saved, so finishing still says so.
    await press(page, 'Done');
    await page.getByText('Your changes are saved.').waitFor();
    await done(page);
  });

  it('wallet: errors disappear as well', { tags: 'thorough' }, async () => {
    const { ClientUser } = await payer();
    const page = await visit(browser, (await service.create('wallet', { ClientUser })).sessionUrl);
    await page.route('**/default', (route) => route.abort());
    await press(page, 'Manage Bank account ending in 6789');
    await press(page, 'Make default: Bank account ending in 6789');
    await notice(page).filter({ hasText: 'Your connection was lost' }).waitFor();
    await press(page, 'Add a payment method');
    await notice(page).waitFor({ state: 'detached' });
    await done(page);
  });

  it(
    'AutoPay and schedule: disappear, except for a message that appears with its form',
    { tags: 'thorough' },
    async () => {
      const { ClientUser } = await payer();
      const body = { ClientUser, SyncAccount: true, ClientAccount: someAccount() };
      const page = await visit(browser, (await service.create('autopay', body)).sessionUrl);
      await page.getByRole('checkbox', { name: /I agree/ }).check();
      await press(page, 'Turn on AutoPay');
      await notice(page).filter({ hasText: 'AutoPay is now on' }).waitFor();
      await press(page, 'Change payment method');
      await notice(page).waitFor({ state: 'detached' });
      await press(page, 'Cancel');
      await press(page, 'Turn off AutoPay');
      await press(page, 'Yes, turn it off');
      await notice(page).filter({ hasText: 'AutoPay is now off' }).waitFor();
      await page.getByRole('button', { name: 'Turn on AutoPay' }).waitFor();
      expect(await notice(page).count()).toBe(1);

      await visit(page, (await service.create('schedule-payment', body)).sessionUrl);
      await press(page, /^Tomorrow/);
      await press(page, /^Schedule \$/);
      await notice(page).filter({ hasText: 'Payment scheduled' }).waitFor();
      await press(page, 'Schedule another payment');
      await notice(page).waitFor({ state: 'detached' });
      await done(page);
    },
  );

  it(
    'closing the form below a method returns the focus to the button that opened it',
    { tags: 'thorough' },
    async () => {
      const { ClientUser } = await payer();
      const page = await visit(browser, (await service.create('wallet', { ClientUser })).sessionUrl);
      for (const name of ['Rename Visa ending in 4242', 'Edit expiry of Visa ending in 4242']) {
        await press(page, 'Manage Visa ending in 4242');
        await press(page, name);
        await press(page, 'Cancel');
        const opener = page.getByRole('button', { name: 'Manage Visa ending in 4242' });
        await expect.poll(() => opener.evaluate((each) => each === document.activeElement)).toBe(true);
      }
      await done(page);
    },
  );
});

describe('the second file of the page is missing when Pay is pressed', () => {
  // In English, trust.browser.test.ts pays after it.
  it.each(LANGUAGES.filter((lang) => IS_MATRIX || lang === 'ar'))(
    'R-60 says that nothing was charged: %s',
    async (lang) => {
      const { sessionUrl } = await service.create('payment');
      const page = await openTab(browser);
      const sent: string[] = [];
      page.on('request', (request) => sent.push(new URL(request.url()).pathname));
      await page.route('**/assets/late-*', (route) => route.fulfill({ status: 503 }));
      await page.goto(sessionUrl.replace('#', `?lang=${lang}#`));
      await page.locator('#pay').click();
      await page.getByRole('alert').waitFor();
      const problem = (await page.getByRole('alert').innerText()).trim();
      const broken = await page.evaluate(() => document.documentElement.dataset['broken'] ?? '');
      expect(problem.startsWith(broken)).toBe(true);
      expect(problem.slice(broken.length)).toMatch(CHARGED_NOTHING[lang]);
      expect(sent.filter((path) => path.endsWith('/pay'))).toEqual([]);
      await done(page);
    },
  );

  const CHARGED_NOTHING: Record<(typeof LANGUAGES)[number], RegExp> = {
    en: /You haven’t been charged/,
    es: /No se le cobró nada/,
    fr: /Rien n’a été débité/,
    pt: /Nada foi cobrado/,
    'zh-Hans': /未扣款/,
    'zh-Hant': /未扣款/,
    vi: /Quý vị chưa bị trừ tiền/,
    ko: /결제된 금액은 없습니다/,
    tl: /Hindi ka nasingil/,
    ru: /Деньги не списаны/,
    ht: /pa pran okenn lajan/,
    ar: /لم يُخصم أي مبلغ/,
  };
});

describe('autofill', () => {
  const filled = (page: Page): Promise<string[]> =>
    page
      .locator('.source :is(input:not([type=radio]), select)')
      .evaluateAll((all) => all.map((each) => each.getAttribute('autocomplete') ?? 'on'));

  it(
    'is off for an agent, so that the browser neither fills in the agent’s card nor saves the payer’s',
    { tags: 'thorough' },
    async () => {
      const internationalService = await startService({ businessUnit: { countries: ['US', 'CA'] } });
      try {
        const { sessionUrl } = await internationalService.create('payment', {
          Channel: 'POS',
          PosUser: 'agent@harborlight.example',
        });
        const page = await visit(browser, sessionUrl);
        await fillCard(page);
        expect(await filled(page)).toEqual(Array.from({ length: 6 }, () => 'off'));
        await fillBank(page);
        expect(await filled(page)).toEqual(Array.from({ length: 3 }, () => 'off'));
        await done(page);
      } finally {
        await internationalService.stop();
      }
    },
  );

  it(
    'R-50 is on for a payer, until a number or code was typed, which Chromium would save to disk',
    { tags: ['thorough'] },
    async () => {
      const page = await visit(browser, (await service.create('payment')).sessionUrl);
      await page.getByLabel('Card number').waitFor();
      const rest = ['cc-name', 'billing postal-code'];
      expect(await filled(page)).toEqual(['cc-number', 'cc-exp', 'cc-csc', ...rest]);
      await fillCard(page);
      expect(await filled(page)).toEqual(['off', 'cc-exp', 'off', ...rest]);
      await page.getByLabel('Card number').fill('');
      expect(await filled(page)).toEqual(['cc-number', 'cc-exp', 'off', ...rest]);
      await done(page);
    },
  );
});

describe('R-71 more than four accounts', { tags: ['thorough'] }, () => {
  const Charges = Array.from({ length: 6 }, (_, place) => ({
    Amount: 1000 + place,
    ClientAccount: someAccount(`HW-${place}`),
  }));

  it(
    'are collapsed on a phone, show their number, and expand with the keyboard',
    { tags: ['thorough'] },
    async () => {
      const page = await openTab(browser, { viewport: { width: 375, height: 667 } });
      await visit(page, (await service.create('payment', { Charges })).sessionUrl);
      const fold = page.locator('.fold > summary');
      const boxes = page.getByRole('checkbox', { name: 'Dana Reyes' });
      const shown = () => page.locator('.summary').innerText();
      expect(await shown()).toMatch(/\$60\.15\s+6 of 6 selected/);
      expect(await boxes.first().isVisible()).toBe(false);
      await fold.focus();
      await page.keyboard.press('Enter');
      await boxes.first().uncheck();
      expect(await shown()).toMatch(/\$50\.15\s+5 of 6 selected/);
      await done(page);
    },
  );

  it('expand and focus an error', { tags: 'thorough' }, async () => {
    const page = await openTab(browser, { viewport: { width: 375, height: 667 } });
    await visit(page, (await service.create('payment', { Charges })).sessionUrl);
    const fold = page.locator('.fold > summary');
    await fold.click();
    await press(page, 'Clear all');
    await fold.click();
    await fillCard(page);
    await press(page, /^Pay/);
    await page.getByText('Choose at least one account to pay.').waitFor();
    const first = page.getByRole('checkbox', { name: 'Dana Reyes' }).first();
    await expect.poll(() => first.isVisible()).toBe(true);
    await expect.poll(() => first.evaluate((box) => box === document.activeElement)).toBe(true);
    await done(page);
  });

  it('are expanded on a wide screen', { tags: 'thorough' }, async () => {
    const page = await openTab(browser, { viewport: { width: 1280, height: 800 } });
    await visit(page, (await service.create('payment', { Charges })).sessionUrl);
    expect(await page.getByRole('checkbox', { name: 'Dana Reyes' }).first().isVisible()).toBe(true);
    await done(page);
  });
});

it(
  'R-57 after too many changes, a page shows a message and continues to work later',
  { tags: ['thorough'] },
  async () => {
    const session = await service.create('paperless', {
      ClientUser: someCustomer(),
      SyncAccount: true,
      ClientAccount: someAccount(),
    });
    const page = await visit(browser, session.sessionUrl);
    const { origin, pathname, hash } = new URL(session.sessionUrl);
    const toggle = (enrolled: boolean): Promise<Response> =>
      fetch(`${origin}${pathname}/api/paperless`, {
        method: 'POST',
        headers: { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ enrolled }),
      });
    // Returns the service's own refusal to the page. Two seconds later, the service would allow another request.
    await page.route(
      '**/api/paperless',
      async (route) => {
        let response = await toggle(false);
        while (response.status !== 429) response = await toggle(false);
        await route.fulfill({
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: await response.text(),
        });
      },
      { times: 1 },
    );
    await press(page, 'Go paperless');
    await page.getByText('You’ve made too many changes. Wait a minute, then try again.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Go paperless' }).isEnabled()).toBe(true);
    // The service allows one more every two seconds.
    await expect.poll(async () => (await toggle(true)).status).toBe(200);
    await done(page);
  },
);

it('R-106 a page that was open while AutoPay paid takes no payment, and one that opens later doesn’t offer it', async () => {
  const { ClientUser, card } = await payer();
  const ClientAccount = someAccount();
  const autopay = await service.create('autopay', { ClientUser, SyncAccount: true, ClientAccount });
  await ask(autopay, 'autopay/enroll', { methodId: card });
  const session = await service.create('payment', { ClientUser, Charges: [{ Amount: 8420, ClientAccount }] });
  const page = await visit(browser, session.sessionUrl);
  const charged = await service.post('/integrations/autopay/charge', {
    BusinessUnitSlug: BUSINESS_UNIT,
    AccountNumber: ClientAccount['AccountNumber'],
    Amount: 8420,
    ClientReference: 'charged beside a page',
  });
  expect(charged.body).toMatchObject({ data: { Status: 'succeeded' } });

  await press(page, /^Pay/);
  for (const tab of [page, await visit(browser, session.sessionUrl)]) {
    await tab.getByRole('heading', { name: 'A payment is already in progress' }).waitFor();
    expect(await tab.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
    await done(tab);
  }
  const { payments } = await service.control.state();
  expect(payments.filter(({ amount }) => amount === 8420)).toHaveLength(1);
});

it(
  'R-60 R-81 a canceled session says that nothing was charged only if it is a payment',
  { tags: ['thorough'] },
  async () => {
    const { ClientUser, card } = await payer();
    const ClientAccount = someAccount();
    const autopay = await service.create('autopay', { ClientUser, SyncAccount: true, ClientAccount });
    await ask(autopay, 'autopay/enroll', { methodId: card });
    const { body } = await service.post('/integrations/autopay/charge', {
      BusinessUnitSlug: BUSINESS_UNIT,
      AccountNumber: ClientAccount['AccountNumber'],
      Amount: 7630,
      ClientReference: 'charged in the session',
    });
    expect(body).toMatchObject({ data: { Status: 'succeeded' } });

    for (const [session, isUncharged] of [
      [autopay, false],
      [await service.create('payment'), true],
    ] as const) {
      await service.post('/integrations/embedded/cancel', {
        BusinessUnitSlug: BUSINESS_UNIT,
        PaymentSessionIdentifier: session.sessionId,
      });
      const page = await visit(browser, session.sessionUrl);
      await page.getByRole('heading', { name: 'This session was canceled' }).waitFor();
      expect(await page.getByText('You haven’t been charged.').count()).toBe(isUncharged ? 1 : 0);
      await done(page);
    }
  },
);

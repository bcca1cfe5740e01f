/** How screens look: their footers, edges and emphasis. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstOf, launch, openTab, startService, type Service } from '../harness/index.js';
import { BANK, CARD, expiredCard, LOGO, pay, save, someAccount, someCustomer, visit } from './stage.js';

let browser: Browser;
let service: Service;
let page: Page;

beforeAll(async () => {
  [browser, service] = await Promise.all([
    launch('chromium'),
    startService({
      businessUnit: {
        allowAmountAdjustment: true,
        logoUrl: `data:image/svg+xml,${encodeURIComponent(LOGO)}`,
        links: { terms: 'https://shop.example/terms', help: 'https://shop.example/help' },
      },
      settings: { operator: { name: 'Beacon Payments' } },
    }),
  ]);
  page = await openTab(browser, { viewport: { width: 375, height: 667 } });
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
});

const footer = () => page.locator('.legal');
const boxOf = async (target: Locator) => (await target.boundingBox()) ?? expect.fail('not shown');

it('names the operator and links to help on screens without a session', { tags: ['thorough'] }, async () => {
  const { sessionUrl } = await service.create('payment', {});
  await visit(page, sessionUrl.replace(/#.*/, ''));
  expect(await footer().innerText()).toMatch(/Beacon Payments\s+Terms\s+Help/);
  expect(await footer().getByRole('link', { name: 'Help' }).getAttribute('href')).toBe(
    'https://shop.example/help',
  );

  // No business unit is known, so none is disclosed.
  await visit(page, `${service.url}/s/stg_unknown#secret`);
  expect(await footer().innerText()).toContain('Beacon Payments');
  expect(await footer().getByRole('link').count()).toBe(0);
});

it(
  'tells a payer with a link of the other environment what to do, in their language',
  { tags: ['thorough'] },
  async () => {
    const spanish = await openTab(browser, { locale: 'es' });
    await visit(spanish, `${service.url}/s/prd_unknown#secret`);
    const text = await spanish.locator('.statement').innerText();
    expect(text).toContain('Vuelva al sitio');
    expect(text).not.toMatch(/staging|production/);
    await spanish.close();
  },
);

it.each(
  firstOf(1, [
    ['es', 320],
    ['en', 375],
  ] as const),
)(
  'aligns the methods with the fields below them, in %s at %i px',
  { tags: ['thorough'] },
  async (locale, width) => {
    const tab = await openTab(browser, { locale, viewport: { width, height: 667 } });
    await visit(tab, (await service.create('payment', {})).sessionUrl);
    const [card, bank] = await Promise.all([0, 1].map((at) => boxOf(tab.locator('.choice').nth(at))));
    const [expiry, code] = await Promise.all(
      [0, 1].map((at) => boxOf(tab.locator('.pair .control').nth(at))),
    );
    expect([card?.width, bank?.x]).toEqual([expiry?.width, code?.x]);
    expect(card?.width).toBe(bank?.width);
    // One line.
    expect((await boxOf(tab.locator('.pair label').nth(1))).height).toBeLessThan(24);
    await tab.close();
  },
);

it('shows a session’s last minutes as a notice as wide as the form', { tags: ['thorough'] }, async () => {
  const tab = await browser.newPage({ viewport: { width: 320, height: 640 } });
  await tab.clock.install();
  await visit(tab, (await service.create('payment', {})).sessionUrl);
  await tab.clock.runFor('27:00');
  const notice = tab.locator('.notice.warning', { hasText: 'This session ends in 3 minutes' });
  const [box, pay] = await Promise.all([boxOf(notice), boxOf(tab.locator('#pay'))]);
  expect([box.x, box.width]).toEqual([pay.x, pay.width]);
  await tab.close();
});

it(
  'says who is paid above an amount with a column of its own, unless the link above it does',
  { tags: 'thorough' },
  async () => {
    const urls = { SuccessUrl: 'https://shop.example/paid', ReturnUrl: 'https://shop.example/bills' };
    await page.setViewportSize({ width: 1280, height: 800 });
    const titleHeight = async (body: Record<string, unknown>): Promise<number> => {
      await visit(page, (await service.create('payment', body)).sessionUrl);
      return (await boxOf(page.getByRole('heading', { name: 'Pay Harborlight Water' }))).height;
    };
    expect(await titleHeight(urls)).toBe(1);
    expect(await titleHeight({})).toBeGreaterThan(15);
    await page.setViewportSize({ width: 375, height: 667 });
    expect(await titleHeight({})).toBe(1);
  },
);

it('shows the common cards in plates of equal size', { tags: ['thorough'] }, async () => {
  await visit(page, (await service.create('payment', {})).sessionUrl);
  const plates = await page
    .locator('.marks .mark')
    .evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect()).map(({ x, width }) => [x % 1, width]),
    );
  expect(plates).toEqual(Array.from({ length: 4 }, () => [0, 30]));
});

it('enlarges the logo with the text', { tags: ['thorough'] }, async () => {
  await visit(page, (await service.create('payment', {})).sessionUrl);
  const logo = page.locator('.brand-logo');
  const { height } = await boxOf(logo);
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  expect((await boxOf(logo)).height).toBe(2 * height);
});

it('has the same space between text and way back on every final screen', { tags: 'thorough' }, async () => {
  const gapOf = async (url: string): Promise<number> => {
    await visit(page, url);
    const [text, end] = await Promise.all([
      boxOf(page.locator('.statement > p').last()),
      boxOf(page.getByText('You can close this page.')),
    ]);
    return end.y - text.y - text.height;
  };
  const { sessionUrl } = await service.create('payment', {});
  expect(await gapOf(`${service.url}/s/stg_unknown#secret`)).toBe(await gapOf(sessionUrl.replace(/#.*/, '')));
});

it('ends a card as far below a bar or a link as above its first line', { tags: 'thorough' }, async () => {
  // High enough that the bar doesn't stick.
  await page.setViewportSize({ width: 1280, height: 1600 });
  const spaceBelow = (target: Locator): Promise<number> =>
    target.evaluate((last) => {
      const text = document.createRange();
      text.selectNodeContents(last);
      const { bottom } = (last.matches('.quiet') ? text : last).getBoundingClientRect();
      return document.querySelector('.card')!.getBoundingClientRect().bottom - bottom;
    });
  const body = { ClientUser: someCustomer(), SyncAccount: true, ClientAccount: someAccount() };
  await visit(page, (await service.create('autopay', body)).sessionUrl);
  const enroll = page.getByRole('button', { name: 'Turn on AutoPay' });
  const space = await spaceBelow(enroll);
  expect(space).toBe(32);
  await enroll.click();
  await page.getByRole('alert').waitFor();
  expect(await spaceBelow(enroll)).toBe(space);

  await save(service, body.ClientUser, CARD);
  await visit(page, (await service.create('wallet', body)).sessionUrl);
  await page.getByRole('button', { name: 'Add a payment method' }).click();
  expect(Math.abs((await spaceBelow(page.getByRole('button', { name: 'Cancel' }))) - space)).toBeLessThan(3);
  await page.setViewportSize({ width: 375, height: 667 });
});

it(
  'has the form to edit a method in the same box as the question to delete it',
  { tags: 'thorough' },
  async () => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, CARD);
    await visit(page, (await service.create('wallet', { ClientUser })).sessionUrl);
    const openMenu = () => page.getByRole('button', { name: /^Manage/ }).click();
    const lookOf = async (selector: string) => {
      const box = page.locator(`.items ${selector}`);
      await box.waitFor();
      return box.evaluate((each) => {
        const { backgroundColor, border, borderRadius, boxShadow, marginTop, padding } =
          getComputedStyle(each);
        return { backgroundColor, border, borderRadius, boxShadow, marginTop, padding };
      });
    };
    await openMenu();
    await page.getByRole('button', { name: /^Delete/ }).click();
    const question = await lookOf('.confirm');
    const answers = await Promise.all([0, 1].map((at) => boxOf(page.locator('.confirm .button').nth(at))));
    expect(answers.map(({ height }) => height)).toEqual([48, 48]);
    await page.getByRole('button', { name: 'Keep it' }).click();
    await openMenu();
    await page.getByRole('button', { name: /^Rename/ }).click();
    expect(await lookOf('form')).toEqual(question);
  },
);

it('keeps the header of a small dialog on one row', { tags: ['thorough'] }, async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await visit(page, (await service.create('payment', {})).sessionUrl);
  const [name, badge] = await Promise.all([
    boxOf(page.locator('.brand-name bdi')),
    boxOf(page.locator('.test-mode')),
  ]);
  expect(badge.y).toBeLessThan(name.y + name.height);
  expect(badge.x + badge.width).toBeGreaterThan(300);
  await page.setViewportSize({ width: 375, height: 667 });
});

it(
  'has one primary button in the wallet: to add the first method, then Done',
  { tags: 'thorough' },
  async () => {
    const ClientUser = someCustomer();
    const primary = page.locator('.button.primary');
    await visit(page, (await service.create('wallet', { ClientUser })).sessionUrl);
    expect(await primary.allInnerTexts()).toEqual(['Add a payment method']);
    await save(service, ClientUser, CARD);
    await visit(page, (await service.create('wallet', { ClientUser })).sessionUrl);
    expect(await primary.allInnerTexts()).toEqual(['Done']);
  },
);

it('says why nothing is selected if the default card has expired', { tags: ['thorough'] }, async () => {
  const { ClientUser } = await expiredCard(service);
  await visit(page, (await service.create('payment', { ClientUser })).sessionUrl);
  const reason = page.getByText('Your default payment method can’t be used anymore. Choose another one.');
  await reason.waitFor();
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  // Nothing moves when the payer chooses.
  await page
    .getByRole('radio', { name: /Bank account/ })
    .first()
    .check();
  expect(await reason.isVisible()).toBe(true);
});

it.each(firstOf(1, ['100%', '200%']))(
  'adds a method in the last row of the list, in its columns, at text of %s',
  { tags: ['thorough'] },
  async (size) => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, CARD);
    await save(service, ClientUser, BANK);
    await visit(page, (await service.create('wallet', { ClientUser })).sessionUrl);
    await page.evaluate((fontSize) => (document.documentElement.style.fontSize = fontSize), size);
    const add = page.getByRole('button', { name: 'Add a payment method' });
    const textStart = (target: Locator): Promise<number> =>
      target.evaluate((each) => {
        const text = document.createRange();
        text.selectNode([...each.childNodes].at(-1)!);
        return text.getBoundingClientRect().x;
      });
    const row = await boxOf(page.locator('.items > li').last());
    const box = await boxOf(add);
    expect([box.x, box.width]).toEqual([row.x, row.width]);
    expect(box.y).toBe(row.y + row.height);
    expect(await textStart(add)).toBe(await textStart(page.locator('.item-text > :first-child').first()));
    if (size === '100%') {
      const [mark, plus] = await Promise.all([
        boxOf(page.locator('.item > .mark').first()),
        boxOf(add.locator('.icon')),
      ]);
      expect(plus.x + plus.width / 2).toBe(mark.x + mark.width / 2);
    }
  },
);

it.each(firstOf(1, ['es', 'en', 'ar']))(
  'has offers of one line after a payment, in %s',
  { tags: ['thorough'] },
  async (locale) => {
    const tab = await openTab(browser, { locale, viewport: { width: 375, height: 667 } });
    const session = await service.create('payment', {});
    await pay(session, CARD);
    await visit(tab, session.sessionUrl.replace('#', '?next=autopay,paperless#'));
    const offers = tab.locator('.offers > .button');
    const boxes = await Promise.all([0, 1].map((at) => boxOf(offers.nth(at))));
    expect(boxes.map(({ height }) => height)).toEqual([48, 48]);
    expect(boxes[0]?.width).toBe(boxes[1]?.width);
    await tab.close();
  },
);

it('has the footer below the card of a final screen', { tags: ['thorough'] }, async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const session = await service.create('payment', {});
  await pay(session, CARD);
  await visit(page, session.sessionUrl);
  const card = await boxOf(page.locator('.statement'));
  expect((await boxOf(footer())).x).toBe(card.x);
  await page.setViewportSize({ width: 375, height: 667 });
});

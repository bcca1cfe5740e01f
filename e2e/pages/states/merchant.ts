/** Payments on a merchant's page, in a modal and inline. */
import type { Page } from 'playwright-core';
import { DECLINED, pay, PLAIN, WITH_WORDMARK, type Stage } from '../stage.js';
import { fillCard, type CreatedSession } from '../../harness/index.js';
import type { PageState } from './reach.js';

interface Options {
  inline?: true;
  canRenew?: true;
  canOpen?: readonly ('autopay' | 'paperless')[];
  appearance?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/** A state in both color schemes, light first. A frame keeps the scheme that it was opened in. */
function inBoth(
  { name, gallery }: Pick<PageState, 'name' | 'gallery'>,
  reach: (stage: Stage) => Promise<Page>,
): PageState[] {
  return (['light', 'dark'] as const).map((scheme) => ({
    ...(scheme === 'light' ? { name, ...(gallery && { gallery }) } : { name: `${name}-dark` }),
    scheme,
    async reach(stage) {
      await stage.page.emulateMedia({ colorScheme: scheme });
      return reach(stage);
    },
  }));
}

/** A bill, as most merchants send it. */
const ClientAccount = { AccountNumber: 'HW-20481', Name: 'Dana Reyes', Balance: 8420, DueDate: '2026-12-05' };

async function openOnMerchantsPage(
  stage: Stage,
  { inline, body, ...options }: Options = {},
  happen: (session: CreatedSession) => Promise<void> = () => Promise.resolve(),
): Promise<Page> {
  const { page, merchant, full } = stage;
  const session = await full.create('payment', {
    BusinessUnitSlug: PLAIN,
    Charges: [{ Amount: 8420, ClientAccount }],
    ...body,
  });
  await happen(session);
  await page.goto(merchant.url);
  await page.evaluate(
    ([url, options, container]) => {
      const { Service } = globalThis as unknown as {
        Service: { completePayment(url: string, options: object): void };
      };
      const place = container === '' ? {} : { container: document.querySelector(container) };
      Service.completePayment(url, { ...options, ...place });
    },
    [session.sessionUrl, options, inline ? '#inline' : ''] as const,
  );
  return page;
}

const formOn = (page: Page) => page.frameLocator('iframe').locator('#pay');

export const ON_MERCHANTS_PAGE: readonly PageState[] = [
  ...inBoth({ name: 'modal-opening' }, async (stage) => {
    await stage.page.route('**/api/session', () => undefined);
    const page = await openOnMerchantsPage(stage);
    await page.frameLocator('iframe').locator('.skeleton').waitFor();
    return page;
  }),
  ...inBoth({ name: 'modal', gallery: 'Payment, in a modal' }, async (stage) => {
    const page = await openOnMerchantsPage(stage);
    await formOn(page).waitFor();
    return page;
  }),
  ...inBoth({ name: 'modal-wordmark' }, async (stage) => {
    const page = await openOnMerchantsPage(stage, { body: { BusinessUnitSlug: WITH_WORDMARK } });
    await formOn(page).waitFor();
    return page;
  }),
  ...inBoth({ name: 'modal-leaving' }, async (stage) => {
    const page = await openOnMerchantsPage(stage);
    const card = page.frameLocator('iframe').locator('#field-cardNumber');
    await card.fill('4242');
    await card.press('Escape');
    await page.frameLocator('iframe').locator('dialog').waitFor();
    return page;
  }),
  ...inBoth({ name: 'modal-no-attempts-left' }, async (stage) => {
    const page = await openOnMerchantsPage(stage, { canRenew: true }, async (session) => {
      for (let attempt = 0; attempt < 10; attempt++) await pay(session, DECLINED);
    });
    await page.frameLocator('iframe').locator('.statement .primary').waitFor();
    return page;
  }),
  ...inBoth({ name: 'modal-complete' }, async (stage) => {
    const page = await openOnMerchantsPage(stage, { canOpen: ['autopay', 'paperless'] });
    const frame = page.frameLocator('iframe');
    await fillCard(frame);
    await frame.locator('#pay').click();
    await frame.locator('.receipt').waitFor();
    return page;
  }),
  ...inBoth({ name: 'inline-opening' }, async (stage) => {
    await stage.page.route('**/api/session', () => undefined);
    const page = await openOnMerchantsPage(stage, { inline: true, appearance: { showHeader: false } });
    await page.frameLocator('iframe').locator('.skeleton').waitFor();
    return page;
  }),
  ...inBoth({ name: 'inline', gallery: 'Payment, inline without a header' }, async (stage) => {
    const page = await openOnMerchantsPage(stage, { inline: true, appearance: { showHeader: false } });
    await formOn(page).waitFor();
    return page;
  }),
];

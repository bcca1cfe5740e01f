/** Harborlight Water as `pnpm demo` starts it: both front ends, the backend, and the service in both environments. */
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStack, type DemoStack } from '../../tools/demo-stack.mjs';
import {
  axeViolations,
  CARD_DECLINED,
  collectErrors,
  fillBank,
  fillCard,
  IS_MATRIX,
  launch,
  leave,
  DISPLAYS,
  payByCard,
  pressDone,
  pressIn,
  pressPay,
  sessionFrame,
} from '../harness/index.js';

let stack: DemoStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), launch('chromium')]);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/**
 * Opens the site in a new browser, which creates a new customer with a bill. Fails on console errors, except those that
 * `bears` matches.
 */
async function visit(url: string, work: (page: Page) => Promise<void>, bears?: RegExp): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const errors = collectErrors(page);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Hello, Ana.' }).waitFor();
    await work(page);
    expect(errors.filter((error) => !bears?.test(error))).toEqual([]);
  } finally {
    await context.close();
  }
}
const bill = (page: Page) => page.locator('#bill');
const pay = (page: Page) => bill(page).getByRole('button', { name: /^Pay \$/ });
const closed = (page: Page) => page.locator('dialog[open]').waitFor({ state: 'detached' });

describe.each(['react', 'plain'] as const)('the %s page', (kind) => {
  const url = () => (kind === 'react' ? stack.reactUrl : stack.plainUrl);

  // The test command runs it on one page; the whole matrix runs it on both.
  it.runIf(IS_MATRIX || kind === 'react')(
    'R-1 pays a bill in the modal and shows it as paid once the backend has confirmed it',
    () =>
      visit(url(), async (page) => {
        await pay(page).click();
        await payByCard(sessionFrame(page));
        await bill(page).getByText('Due', { exact: true }).waitFor();
        pressDone(sessionFrame(page));
        await page.getByText('Thank you. We received $76.30').waitFor();
        await bill(page).getByText('Paid', { exact: true }).waitFor();
        expect(await pay(page).isVisible()).toBe(false);
        await page.reload();
        await bill(page).getByText('Paid', { exact: true }).waitFor();
      }),
  );

  it.runIf(IS_MATRIX || kind === 'plain')(
    'keeps the bill unpaid after a declined card',
    { tags: 'thorough' },
    () =>
      visit(url(), async (page) => {
        await pay(page).click();
        const form = sessionFrame(page);
        await fillCard(form, CARD_DECLINED);
        await pressPay(form);
        await form
          .getByRole('alert')
          .filter({ hasText: /declined/ })
          .waitFor();
        await page.keyboard.press('Escape');
        leave(form.getByRole('button', { name: 'Leave' }).click());
        await page.getByText('Nothing was charged.').waitFor();
        await bill(page).getByText('Due', { exact: true }).waitFor();
      }),
  );

  it.runIf(IS_MATRIX || kind === 'react')(
    'enrolls in AutoPay, and the webhook notifies the backend',
    { tags: 'thorough' },
    () =>
      visit(url(), async (page) => {
        await page.getByRole('button', { name: 'Manage AutoPay' }).click();
        const form = sessionFrame(page);
        await enrollInAutopay(form);
        pressDone(sessionFrame(page));
        await closed(page);
        const enrolled = () =>
          page.evaluate(async () => {
            const view = (await (await fetch('/api/account')).json()) as { autopay: boolean };
            return view.autopay;
          });
        await expect.poll(enrolled).toBe(true);
        await page.reload();
        await page.getByText('On', { exact: true }).waitFor();
      }),
  );

  it('has no accessibility violation at 320 px and 1280 px, light and dark', { tags: ['thorough'] }, () =>
    visit(url(), async (page) => {
      // The test command checks one combination per page. Together, they cover both widths and both color schemes.
      for (const [width, colorScheme] of DISPLAYS.filter(
        (_, place) => IS_MATRIX || place === (kind === 'plain' ? 2 : 0),
      )) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        expect(await axeViolations(page), `${width} px, ${colorScheme}`).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }),
  );
});

const MODAL_FLOWS = [
  ['AutoPay', 'Manage AutoPay'],
  ['scheduling', 'Schedule a payment'],
  ['scheduled payments', 'View scheduled payments'],
  ['the wallet', 'Manage payment methods'],
  ['paperless billing', 'Manage paperless billing'],
  ['notifications', 'Manage notifications'],
] as const;

describe('the React page', () => {
  // AutoPay and paperless billing have their own tests. The whole matrix opens them here too.
  const flows = MODAL_FLOWS.filter(([name]) => IS_MATRIX || !/AutoPay|paperless/.test(name));
  it.each(flows)('R-4 opens %s in a modal and inline', { tags: 'thorough' }, (_, action) =>
    visit(stack.reactUrl, async (page) => {
      await page.getByRole('button', { name: action }).click();
      await sessionFrame(page).getByRole('heading', { level: 1 }).waitFor();
      leave(page.keyboard.press('Escape'));
      await closed(page);

      await page.getByRole('radio', { name: 'In this page' }).check();
      await page.getByRole('button', { name: action }).click();
      await page.locator('.inline-flow iframe').waitFor();
      await sessionFrame(page).getByRole('heading', { level: 1 }).waitFor();
      expect(await page.locator('dialog[open]').count()).toBe(0);
    }),
  );

  it('pays inline by bank account and shows the payment as submitted', { tags: 'thorough' }, () =>
    visit(stack.reactUrl, async (page) => {
      await page.getByRole('radio', { name: 'In this page' }).check();
      await pay(page).click();
      const form = sessionFrame(page);
      await fillBank(form);
      await pressPay(form);
      await page.getByText('Thank you. $76.30 is on its way.').waitFor();
      await bill(page).getByText('On its way', { exact: true }).waitFor();
    }),
  );

  it(
    'R-7 refuses the staging session with the production loader, and pays with the right loader',
    { tags: ['thorough'] },
    () => {
      // The console has the reason for the page's developer.
      const mismatch = /^embedded-sessions: .*staging.*use one environment/;
      const refuses = async (page: Page) => {
        await page.getByRole('link', { name: /with the production loader/ }).click();
        await page.waitForURL('**/?loader=other');
        await pay(page).click();
        await page
          .getByRole('alert')
          .filter({ hasText: 'staging' })
          .filter({ hasText: 'production' })
          .waitFor();
        // A frame that was preloaded on hover has no session and shows nothing.
        expect(await page.locator('iframe:visible').count()).toBe(0);
        // A new frame has no address yet.
        const addresses = page
          .frames()
          .map((frame) => (URL.canParse(frame.url()) ? new URL(frame.url()).pathname : ''));
        expect(addresses.filter((path) => path.startsWith('/s/') && path !== '/s/warm')).toEqual([]);

        await page.getByRole('link', { name: /back to the staging loader/ }).click();
        await page.waitForURL(`${stack.reactUrl}/`);
        await pay(page).click();
        await sessionFrame(page).getByLabel('Card number').waitFor();
      };
      return visit(stack.reactUrl, refuses, mismatch);
    },
  );

  it('shows the bill as paid in a second tab, and never charges twice', { tags: 'thorough' }, () =>
    visit(stack.reactUrl, async (page) => {
      const other = await page.context().newPage();
      await other.goto(stack.reactUrl);
      // Bring the tab to the front, as a person would: in a hidden tab Chromium may place a click by an outdated layout.
      await page.bringToFront();
      await pay(page).click();
      await payByCard(sessionFrame(page));
      await other.bringToFront();
      await pay(other).click();
      await other.getByRole('alert').filter({ hasText: 'Nothing is due' }).waitFor();
      expect(await other.locator('iframe').count()).toBe(0);
    }),
  );

  it('E-3 passes a changed e-mail address to the service', { tags: 'thorough' }, () =>
    visit(stack.reactUrl, async (page) => {
      const address = `ana.${Date.now()}@mail.example`;
      await page.getByLabel('Email address').fill(address);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('button', { name: 'Manage paperless billing' }).click();
      await sessionFrame(page).getByText(address).first().waitFor();
    }),
  );
});

it('R-8 goes live by changing exactly three environment variables', async () => {
  const [staging, production] = [stack.settings('staging'), stack.settings('production')];
  expect(Object.keys(staging)).toEqual(['SERVICE_API_KEY', 'SERVICE_LOADER_URL', 'SERVICE_BASE_URL']);
  expect(Object.keys(production)).toEqual(Object.keys(staging));
  const live = await stack.goLive();
  await visit(live, async (page) => {
    await pay(page).click();
    const frame = await frameOf(page, stack.operator.production.baseUrl);
    // This production service has no processor, so it takes no payments and says so.
    await frame
      .getByText(/not available|can’t take|unavailable/i)
      .first()
      .waitFor();
    expect(await page.locator('script[src*="embedded.loader"]').getAttribute('src')).toContain(
      stack.operator.production.loaderUrl,
    );
  });
});

it('R-106 shows what the service charged by AutoPay on the due date', { tags: 'thorough' }, () =>
  visit(stack.reactUrl, async (page) => {
    await page.getByRole('button', { name: 'Manage AutoPay' }).click();
    await enrollInAutopay(sessionFrame(page));
    pressDone(sessionFrame(page));
    await closed(page);
    const shown = async (text: RegExp): Promise<void> => {
      await expect
        .poll(
          async () => {
            await page.reload();
            await bill(page).getByRole('heading').waitFor();
            return page.locator('main').innerText();
          },
          // Load a whole page each time.
          { timeout: 30_000, interval: 500 },
        )
        .toMatch(text);
    };
    await shown(/Due [^·]*, by AutoPay/);
    const moved = await fetch(`${stack.controlUrl}/clock`, { method: 'POST', body: '{"advance":"18d"}' });
    expect(moved.status).toBe(200);
    await shown(/AutoPay, card ending in 4242[^]*Paid/);
    await bill(page).getByText('Paid', { exact: true }).waitFor();
    await page.getByRole('row', { name: /AutoPay, card ending in 4242.*−\$76\.30/ }).waitFor();
  }),
);

/** The frame of a session. Ignores preloaded frames, which may be removed. */
async function frameOf(page: Page, origin: string): Promise<Frame> {
  const ofSession = (frame: Frame): boolean =>
    frame.url().startsWith(`${origin}/s/`) && !frame.url().startsWith(`${origin}/s/warm`);
  await expect.poll(() => page.frames().some(ofSession)).toBe(true);
  return page.frames().find(ofSession) as Frame;
}

async function enrollInAutopay(form: ReturnType<typeof sessionFrame>): Promise<void> {
  await fillCard(form);
  await form.getByRole('checkbox', { name: /agree/i }).press('Space');
  await pressIn(form, /enroll|turn on/i);
  await form.getByRole('button', { name: 'Done' }).waitFor();
}

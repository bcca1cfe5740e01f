/** Tests the whole path: a backend's session, the loader on a merchant's page, the SDK, the hosted page, the query. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { By, until, type WebDriver, type WebElement } from 'selenium-webdriver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BUSINESS_UNIT,
  CARD_DECLINED,
  CARD_OK,
  collectErrors,
  fillCard,
  hasWebKit,
  MATRIX_ENGINES,
  launch,
  launchWebKit,
  openTab,
  payByCard,
  pressDone,
  pressPay,
  sessionFrame,
  startOrigin,
  startService,
  type CreatedSession,
  type Origin,
  type Service,
} from './harness/index.js';

const MERCHANT = (loaderUrls: object): string => `<!doctype html><html lang="en"><title>Pay your bill</title>
<link rel="icon" href="data:,"><h1>Harborlight Water</h1><button id="pay">Pay now</button>
<script type="module">
  import { createLoader } from '/loader/index.js';
  const loaderUrls = ${JSON.stringify(loaderUrls)};
  window.outcome = (promise) => promise.then(
    (result) => ({ result }),
    ({ code, message, details }) => ({ code, message, details }),
  );
  window.pay = (environment, url) =>
    (window.result = outcome(createLoader({ environment, loaderUrls }).load().then((service) => service.completePayment(url))));
  document.querySelector('#pay').addEventListener('click', () => pay('staging', window.sessionUrl));
  document.title = 'Ready';
</script></html>`;

/** This driver has no automatic waiting. */
const WEBKIT_MS = 30_000;

let merchant: Origin;
let staging: Service;
let production: Service;

beforeAll(async () => {
  merchant = await startOrigin({ host: 'localhost', folders: { '/loader/': 'packages/loader/dist' } });
  const allowedOrigins = [merchant.url];
  [staging, production] = await Promise.all([
    startService({ allowedOrigins }),
    startService({ env: 'production', allowedOrigins }),
  ]);
  merchant.routes['/'] = MERCHANT({ staging: staging.loaderUrl, production: production.loaderUrl });
});
afterAll(() => Promise.all([merchant.stop(), staging.stop(), production.stop()]));

let reference = 0;
const createPayment = (): Promise<CreatedSession> =>
  staging.create('payment', {
    Charges: [{ Amount: 1234, Description: 'Water, October', CustomMeta: { meter: 'M-7' } }],
    ClientReference: `invoice-${++reference}`,
    CustomMeta: { route: 'north' },
    ClientUser: { EmailAddress: 'dana@example.com', FirstName: 'Dana' },
  });

const expectPaid = async (session: CreatedSession, result: unknown): Promise<void> => {
  const facts = {
    Status: 'Succeeded',
    ClientReference: `invoice-${reference}`,
    CustomMeta: { route: 'north' },
    Charges: [{ Amount: 1234, CustomMeta: { meter: 'M-7' } }],
  };
  expect(result).toEqual({ result: { status: 'completed', sessionId: session.sessionId, detail: facts } });
  const { payments } = await staging.control.state();
  const ofSession = payments.filter(({ sessionId }) => sessionId === session.sessionId);
  expect(ofSession.filter(({ status }) => status === 'succeeded')).toEqual([
    { sessionId: session.sessionId, amount: 1234, method: 'Credit Card', status: 'succeeded', last4: '4242' },
  ]);
  const query = { BusinessUnitSlug: BUSINESS_UNIT, PaymentSessionIdentifier: session.sessionId };
  const response = await staging.post('/integrations/embedded/query', query);
  expect(response.body).toMatchObject({ hasErrors: false, data: { Flow: 'payment', ...facts } });
};

/** Every place that could contain secrets afterwards. */
const places = async (page: Page): Promise<Record<string, string>> => ({
  logs: staging.logs(),
  database: readdirSync(staging.folder)
    .filter((name) => name.startsWith('service.db'))
    .map((name) => readFileSync(join(staging.folder, name), 'latin1'))
    .join('\n'),
  page: await page.content(),
  storage: await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.cookie, history.state]),
  ),
  state: JSON.stringify(await staging.control.state()),
});

describe.each(MATRIX_ENGINES)('payment in %s', (engine) => {
  let browser: Browser;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await openTab(browser);
    errors = collectErrors(page);
    await page.goto(merchant.url);
    await page.waitForFunction(() => document.title === 'Ready');
  });
  afterEach(() => page.close());

  it("R-1 R-4 R-30 R-41 R-56 pays on the merchant's page after a decline, and the backend confirms it", async () => {
    const session = await createPayment();
    expect(session.status).toBe('RequiresPaymentSource');
    await page.evaluate((url) => Object.assign(globalThis, { sessionUrl: url }), session.sessionUrl);
    await page.getByRole('button', { name: 'Pay now' }).click();
    const frame = sessionFrame(page);
    await fillCard(frame, CARD_DECLINED);
    await pressPay(frame);
    await frame.getByRole('alert').filter({ hasText: 'declined' }).waitFor();
    await payByCard(frame);

    const found = await places(page);
    const secret = new URL(session.sessionUrl).hash.slice(1);
    expect(secret.length).toBeGreaterThanOrEqual(43);
    for (const [place, text] of Object.entries(found)) {
      expect(text.length, place).toBeGreaterThan(0);
      for (const hidden of [
        secret,
        staging.apiKey,
        CARD_OK,
        CARD_OK.replaceAll(' ', ''),
        CARD_DECLINED.replaceAll(' ', ''),
      ]) {
        expect(text.includes(hidden), `${hidden} in ${place}`).toBe(false);
      }
    }

    pressDone(frame);
    await expectPaid(
      session,
      await page.evaluate(() => (globalThis as unknown as { result: unknown }).result),
    );
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
    expect(page.url()).toBe(`${merchant.url}/`);
    expect(errors).toEqual([]);
  });

  // The test command uses Firefox only for whole payments.
  it.each([
    ['staging', 'production'],
    ['production', 'staging'],
  ] as const)(
    'R-7 refuses a %s session with the %s loader and its SDK before anything opens',
    async (of, by) => {
      const services = { staging, production };
      const session = await services[of].create('payment');
      const logged = staging.logs().length + production.logs().length;
      const outcomes = await page.evaluate(
        async ([environment, url]) => {
          const { pay, outcome } = globalThis as unknown as {
            pay: (environment: string, url: string) => Promise<unknown>;
            outcome: (promise: Promise<unknown>) => Promise<unknown>;
          };
          const byLoader = await pay(environment!, url!);
          const { Service } = globalThis as unknown as {
            Service: { completePayment(url: string): Promise<unknown> };
          };
          return { byLoader, bySdk: await outcome(Service.completePayment(url!)), frames: frames.length };
        },
        [by, session.sessionUrl],
      );
      expect(outcomes.frames).toBe(0);
      expect(outcomes.byLoader).toMatchObject({
        code: 'environment_mismatch',
        details: { expected: by, found: of },
        message: expect.stringMatching(/staging.*production|production.*staging/s) as unknown,
      });
      expect(outcomes.bySdk).toMatchObject({
        code: 'environment_mismatch',
        details: { expected: by, found: of },
      });
      expect((staging.logs() + production.logs()).slice(logged)).not.toContain('"/s/:id"');
    },
  );
});

it.runIf(hasWebKit)('R-1 R-4 pays in WebKitGTK', { tags: 'thorough' }, async () => {
  const session = await createPayment();
  const webkit = await launchWebKit();
  try {
    const { driver } = webkit;
    await driver.get(merchant.url);
    await driver.wait(until.titleIs('Ready'), WEBKIT_MS);
    await driver.executeScript('window.sessionUrl = arguments[0]', session.sessionUrl);
    await driver.findElement(By.css('#pay')).click();
    const frame = await driver.wait(until.elementLocated(By.css('iframe')), WEBKIT_MS);
    // This driver doesn't wait until a new frame handles clicks.
    await driver.wait(() => driver.executeScript<boolean>(IS_HIT, frame), WEBKIT_MS);
    await driver.switchTo().frame(frame);
    const fields = {
      'Card number': CARD_OK,
      'Expiry date': '12/34',
      'Security code': '123',
      'Name on card': 'Dana Reyes',
      'ZIP code': '04101',
    };
    for (const [label, value] of Object.entries(fields)) {
      const field = await labelled(driver, label);
      // This driver doesn't scroll to a field that is covered by the pay bar. Focusing it does.
      await driver.executeScript("arguments[0].scrollIntoView({ block: 'nearest' })", field);
      // WebKit doesn't let scripts focus a cross-site frame that the user has not touched.
      await field.click();
      await field.sendKeys(value);
    }
    await driver.findElement(By.xpath("//button[contains(., 'Pay $12.34')]")).click();
    await driver.wait(
      until.elementLocated(By.xpath("//h1[.='Payment complete']|//h2[.='Payment complete']")),
      WEBKIT_MS,
    );
    await driver.findElement(By.xpath("//button[.='Done']")).click();
    await driver.switchTo().defaultContent();
    const result = await driver.executeAsyncScript('window.result.then(arguments[arguments.length - 1])');
    await expectPaid(session, result);
    expect(await driver.findElements(By.css('iframe'))).toHaveLength(0);
  } finally {
    await webkit.close();
  }
});

const IS_HIT = `
  const { x, y, width, height } = arguments[0].getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === arguments[0];`;

async function labelled(driver: WebDriver, label: string): Promise<WebElement> {
  const id = await driver.wait(
    until.elementLocated(By.xpath(`//label[normalize-space()='${label}']`)),
    WEBKIT_MS,
  );
  return driver.findElement(By.id(String(await id.getAttribute('for'))));
}

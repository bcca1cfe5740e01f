/** Uses the inspector as a developer does: in a browser, on a running service. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  axeViolations,
  undefinedVariables,
  bodyOf,
  BUSINESS_UNIT,
  CARD_OK,
  collectErrors,
  firstOf,
  IS_MATRIX,
  launch,
  openTab,
  payByCard,
  startOrigin,
  startService,
  type Browser,
  type BrowserContext,
  type Origin,
  type Page,
  type Service,
} from '../harness/index.js';
import { BANK, CARD, DECLINED, pay } from '../pages/stage.js';

/** `INSPECTOR_EVENTS=10000` fills the inspector's history twice. */
const EVENTS = Number(process.env['INSPECTOR_EVENTS'] ?? (IS_MATRIX ? 1_000 : 500));

let made = 0;
/** Charges for twenty-five accounts, each with a new balance. */
const charges = () =>
  Array.from({ length: 25 }, (_, place) => ({
    Amount: 100 + place,
    ClientAccount: { AccountNumber: `A-${place}`, Name: 'Ada Byron', Balance: ++made },
  }));

const WEBHOOK_SECRET = 'whsec_Y2FuYXJ5LW9mLXRoZS1pbnNwZWN0b3I=';
const AS_SHOWN = [
  { width: 375, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 375, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
] as const;

let browser: Browser;
let merchant: Origin;
let service: Service;
let base: string;
let token: string;
let received: { id: string; type: string }[] = [];

beforeAll(async () => {
  browser = await launch('chromium');
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  merchant = await startOrigin({
    routes: {
      '/webhooks': async (request, response) => {
        const { type } = JSON.parse(await bodyOf(request)) as { type: string };
        received.push({ id: String(request.headers['webhook-id']), type });
        response.writeHead(204).end();
      },
    },
  });
  service = await startService({
    args: ['--inspector-port', '0'],
    businessUnit: { webhook: { url: `${merchant.url}/webhooks`, secrets: [WEBHOOK_SECRET] } },
    settings: {
      email: { from: 'Harborlight Water <bills@water.example>' },
      // One test creates a thousand events as fast as it can.
      rateLimit: { perSecond: 10_000, burst: 10_000 },
    },
  });
  [base = '', token = ''] = service.inspector.split('/#');
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await merchant.stop();
});

let context: BrowserContext;
let page: Page;
let errors: string[];
beforeEach(async () => {
  received = [];
  await service.control.reset();
  page = await context.newPage();
  errors = collectErrors(page);
});
afterEach(() => page.close());

const visit = async (path = '/', on = page): Promise<void> => {
  await on.goto(`${base}${path}#${token}`);
  await on.getByText('Live', { exact: true }).waitFor();
};

/** Pays as a payer would, in a separate browser profile. */
async function asPayer(url: string): Promise<void> {
  const hosted = await openTab(browser);
  await hosted.goto(url);
  await payByCard(hosted);
  await hosted.close();
}

const ClientUser = { EmailAddress: 'ada@example.com', FirstName: 'Ada', LastName: 'Byron' };

const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('timeline', () => {
  it('R-90 shows a payment as it happens, follows it to its webhook, and resends the webhook', async () => {
    const session = await service.create('payment');
    await visit();
    await asPayer(session.sessionUrl);
    const delivered = page.getByRole('link', { name: /^payment\.succeeded: delivered/ }).first();
    await delivered.waitFor();

    // Use the keyboard, because the list keeps growing.
    await delivered.press('Enter');
    await page.getByRole('heading', { name: 'Webhook', exact: true }).waitFor();
    await button('Send again').click();
    await expect.poll(() => received.filter(({ type }) => type === 'payment.succeeded').length).toBe(2);
    expect(
      new Set(received.filter(({ type }) => type === 'payment.succeeded').map(({ id }) => id)).size,
    ).toBe(1);
    expect(errors).toEqual([]);
  });

  it('R-90 takes its token out of the address and keeps filters in it', { tags: ['thorough'] }, async () => {
    const { sessionId } = await service.create('payment');
    await service.create('wallet');
    await visit();
    expect(page.url()).toBe(`${base}/`);
    await page.getByLabel('Kind').selectOption('request');
    await page.getByLabel('Search').fill(sessionId);
    await expect.poll(() => page.locator('.event').count()).toBe(1);
    expect(new URL(page.url()).search).toBe(`?kind=request&q=${sessionId}`);
    await page.reload();
    await expect.poll(() => page.locator('.event').count()).toBe(1);
    await page.goto(`${base}/?level=error`);
    await expect.poll(() => page.locator('.event').count()).toBe(0);
    await service.post('/integrations/embedded/query', { BusinessUnitSlug: BUSINESS_UNIT });
    await expect.poll(() => page.locator('.event').count()).toBe(1);
  });

  it('R-90 lists sessions in columns and searches them by customer', { tags: ['thorough'] }, async () => {
    const { sessionId } = await service.create('payment', { Charges: [{ Amount: 4210 }], ClientUser });
    await service.create('notifications');
    await visit('/sessions');
    await page
      .getByText('development', { exact: true })
      .or(page.getByText('staging', { exact: true }))
      .waitFor();
    const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    await page.getByLabel('Search').fill('ADA@');
    await expect.poll(() => rows.count()).toBe(1);
    const cells = await rows.locator('td').allInnerTexts();
    expect(cells.slice(0, 5)).toEqual([
      sessionId,
      'Requires payment source',
      'Payment',
      '$42.10',
      'ada@example.com',
    ]);
    expect(cells[5]).toMatch(/^\d+ s$/);
    await button(`Copy ${sessionId}`).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(sessionId);
    expect(new URL(page.url()).search).toBe('?q=ADA%40');
    await page.getByLabel('Flow').selectOption('notifications');
    await page.getByText('Nothing matches.').waitFor();
    expect(errors).toEqual([]);
  });

  it('R-90 shows amount, customer and payments of a session in columns', { tags: ['thorough'] }, async () => {
    const session = await service.create('payment', { Charges: [{ Amount: 4210 }], ClientUser });
    await pay(session, DECLINED);
    await pay(session, CARD);
    await visit(`/sessions/${session.sessionId}`);
    const lead = page.locator('.lead');
    await lead.getByText('$42.10').waitFor();
    await lead.getByText('ada@example.com').waitFor();
    const rows = page.getByRole('table', { name: 'Payments' }).locator('tbody tr');
    const [declined = [], succeeded = []] = await Promise.all(
      [0, 1].map((row) => rows.nth(row).locator('td').allInnerTexts()),
    );
    expect(declined.slice(1, 5)).toEqual(['Declined', 'Card 0002', '$42.10', 'card_declined']);
    expect(succeeded.slice(1, 5)).toEqual(['Succeeded', 'Card 4242', '$42.10', '']);
    const [id = ''] = succeeded;
    expect(id).toMatch(/^pay_/);
    await button(`Copy ${id}`).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await page.setViewportSize({ width: 800, height: 820 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    expect(await axeViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it(
    `R-90 draws the newest of ${EVENTS} events, keeps memory flat, and doesn't move while you read`,
    { tags: 'thorough', timeout: 600_000 },
    async () => {
      await visit();
      /** One session and one request with twenty-five accounts each. */
      const many = async (events: number): Promise<void> => {
        let left = Math.ceil(events / 27);
        const fill = async (): Promise<void> => {
          while (left-- > 0) await service.create('payment', { Charges: charges() });
        };
        await Promise.all(Array.from({ length: 4 }, fill));
      };
      const rows = page.locator('.event');
      const measured = async () => {
        const response = await fetch(`${base}/events`, { headers: { authorization: `Bearer ${token}` } });
        const { length } = (await response.json()) as unknown[];
        await page.getByText(`The newest 300 of ${Math.min(length, 10_000)}.`).waitFor();
        expect(await rows.count()).toBe(300);
        return { pageMb: await pageMb(page), serviceMb: memoryMb(service.pid) };
      };
      await many(EVENTS);
      const first = await measured();
      await many(EVENTS);
      const second = await measured();
      console.log(`after ${EVENTS} and ${2 * EVENTS} events`, first, second);
      if (EVENTS >= 10_000) expect(second.pageMb).toBeLessThan(first.pageMb * 1.25);
      // The service stores a thousand requests, which produce this many events.
      if (EVENTS >= 25_000) expect(second.serviceMb).toBeLessThan(first.serviceMb * 1.25);

      const read = rows.nth(100);
      await read.evaluate((row) => row.scrollIntoView({ block: 'start' }));
      await read.evaluate((row) => (row.dataset['read'] = ''));
      const marked = page.locator('[data-read]');
      const top = (await marked.boundingBox())?.y ?? 0;
      const newest = await rows.first().textContent();
      await many(27);
      await expect.poll(() => rows.first().textContent()).not.toBe(newest);
      expect(Math.abs(((await marked.boundingBox())?.y ?? 0) - top)).toBeLessThan(2);
    },
  );
});

it('R-104 shows a new message to a payer with a preview', { tags: 'thorough' }, async () => {
  const session = await service.create('payment', { ClientUser });
  await visit('/mail');
  await page.getByText('No messages yet.').waitFor();
  const reviewers = page.getByRole('region', { name: 'Translations' });
  expect(await reviewers.innerText()).toMatch(/Not reviewed yet\s+English \(en\), .*Haitian Creole \(ht\)/);
  await pay(session, CARD);
  const subject = page.getByRole('link', { name: /^Your payment to/ });
  await subject.waitFor();
  await page.getByLabel('Kind').selectOption('receipt');
  await expect
    .poll(async () => (await page.locator('tbody tr td').allInnerTexts()).slice(1, 5))
    .toEqual(['Unsent', ClientUser.EmailAddress, 'Receipt', 'Email']);
  await subject.click();
  await page.getByText('Not sent. This is a preview.').waitFor();
  const frame = page.locator('iframe');
  expect(await frame.getAttribute('sandbox')).not.toMatch(/allow-(scripts|same-origin)/);
  const mail = frame.contentFrame();
  await mail.getByRole('heading', { name: /^Your payment to/ }).waitFor();
  expect(await mail.locator('.card').evaluate((card) => getComputedStyle(card).backgroundColor)).toBe(
    'rgb(255, 255, 255)',
  );
  await page.getByLabel('Text part').getByText('Visa ending in 4242').waitFor();
  expect(errors).toEqual([]);
});

it('R-90 moves the clock until a bank payment settles', { tags: 'thorough' }, async () => {
  const session = await service.create('payment');
  await pay(session, BANK);
  await visit('/clock');
  await button('+2 d').click();
  await page.getByText('The clock was moved.').waitFor();
  await visit(`/sessions/${session.sessionId}`);
  await expect.poll(() => page.locator('.lead .status').innerText()).toBe('Succeeded');
  await visit('/clock');
  await button('Reset').click();
  await page.getByText('None: real time').waitFor();
  await button('+31 min').click();
  await page.getByText('+31 min', { exact: true }).nth(1).waitFor();
  expect(errors).toEqual([]);
});

it('R-90 arms a fault and shows where it hit', { tags: 'thorough' }, async () => {
  const { sessionId } = await service.create('payment');
  await visit('/faults');
  await button('The response to Pay is lost after the commit').click();
  await page.getByText('1 time left').waitFor();
  await visit(`/sessions/${sessionId}`);
  await button('Card 4242: succeeded').click();
  await page.getByText('No response: the connection was dropped.').waitFor();
  await expect.poll(() => page.locator('.lead .status').innerText()).toBe('Succeeded');
  await visit('/faults');
  await page.getByText('Fault drop-after-commit hits /s/*/api/pay').waitFor();
  await page.getByText('No fault is armed.').waitFor();
});

it('R-90 sends a call from its form and follows it to the session: pay, refund, cancel', async () => {
  await visit('/try');
  await button('Send').click();
  await page.getByRole('link', { name: 'Follow the session' }).click();
  await button('Card 0002: declined').click();
  await page.getByText('Declined', { exact: true }).waitFor();
  await button('Card 4242: succeeded').click();
  await button('Refund').click();
  await page.getByText(/^\$[\d.]+ refunded$/).waitFor();

  await page.getByRole('link', { name: 'Try', exact: true }).click();
  await button('Send').click();
  await page.getByRole('link', { name: 'Follow the session' }).click();
  await button('Cancel').click();
  await expect.poll(() => page.locator('.lead .status').innerText()).toBe('Canceled');
  expect(errors).toEqual([]);
});

it(
  'R-90 shows no key, secret or card number on the page, in its memory or in copied text',
  { tags: ['thorough'] },
  async () => {
    const session = await service.create('payment');
    const secret = session.sessionUrl.split('#')[1] ?? '';
    await pay(session, CARD);
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await visit();
    await page
      .getByRole('link', { name: /initiate → 200/ })
      .first()
      .press('Enter');
    await button('Copy as curl').click();
    await page.getByText('Copied.').waitFor();
    const copied = [await page.evaluate(() => navigator.clipboard.readText())];
    expect(copied[0]).toContain('$SERVICE_API_KEY');
    const seen = [await page.content()];
    for (const path of ['/', `/sessions/${session.sessionId}`, '/clock', '/faults', '/try']) {
      await visit(path);
      seen.push(await page.content());
    }
    await visit(`/webhooks/${received.at(-1)?.id}`);
    seen.push(await page.content());

    const memory = await heapOf(page);
    expect(memory).toContain(session.sessionId);
    const everything = [...seen, ...copied, memory].join('\n');
    const canaries = [service.apiKey, secret, CARD_OK, CARD_OK.replaceAll(' ', ''), WEBHOOK_SECRET.slice(6)];
    expect(canaries.filter((canary) => everything.includes(canary))).toEqual([]);
  },
);

/** JavaScript heap size after garbage collection. */
async function pageMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Performance.enable');
  const { metrics } = await devtools.send('Performance.getMetrics');
  await devtools.detach();
  return Math.round((metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e5) / 10;
}

/** Memory of a process as the operating system reports it. */
const memoryMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000);

async function heapOf(page: Page): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await devtools.send('HeapProfiler.takeHeapSnapshot');
  return chunks.join('');
}

it.each(firstOf(1, AS_SHOWN))(
  'R-90 has no accessibility violation at $width px in $colorScheme',
  { tags: ['thorough'] },
  async ({ width, colorScheme }) => {
    await page.setViewportSize({ width, height: 820 });
    await page.emulateMedia({ colorScheme });
    const session = await service.create('payment', { ClientUser });
    await pay(session, CARD);
    const open = await service.create('payment');
    await service.control.fault({ kind: 'latency', ms: 1, path: '/nowhere' });
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await visit('/?kind=request');
    const request = await page
      .getByRole('link', { name: /initiate → 200/ })
      .first()
      .getAttribute('href');
    await visit('/mail');
    const message = await page.locator('tbody a').first().getAttribute('href');
    const paths = [
      '/',
      '/?level=error',
      request ?? '',
      '/sessions',
      `/sessions/${session.sessionId}`,
      `/sessions/${open.sessionId}`,
      '/webhooks',
      `/webhooks/${received.at(-1)?.id}`,
      '/mail',
      message ?? '',
      '/clock',
      '/faults',
      '/try',
      '/nowhere',
    ];
    // The test command checks every third screen, once.
    for (const path of paths.filter((_, place) => IS_MATRIX || place % 3 === 0)) {
      await visit(path);
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      expect(await axeViolations(page), path).toEqual([]);
      expect(await undefinedVariables(page), path).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        path,
      ).toBeLessThanOrEqual(0);
    }
    expect(errors).toEqual([]);
  },
);

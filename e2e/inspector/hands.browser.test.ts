// @module-tag thorough
/**
 * Uses every button and key of the inspector as a developer would, also while the service goes away.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { verifyWebhook } from '@embedded-sessions/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  bodyOf,
  BUSINESS_UNIT,
  collectErrors,
  MATRIX_ENGINES,
  freePort,
  launch,
  startOrigin,
  startService,
  type Browser,
  type Origin,
  type Page,
  type Service,
} from '../harness/index.js';

const run = promisify(execFile);
const SECRET = 'whsec_Y2FuYXJ5LW9mLXRoZS1pbnNwZWN0b3I=';
/** Typed into every field. */
const MARKUP = `<img src=x onerror="globalThis.hit=1">'"><script>globalThis.hit=1</script>`;

let merchant: Origin;
let service: Service;
let base: string;
let token: string;
let answer = { status: 204, body: '' };
let received: { type: string; sessionId: string; verified: boolean }[] = [];
beforeAll(async () => {
  merchant = await startOrigin({
    routes: {
      '/elsewhere': '<!doctype html><title>Elsewhere</title>',
      '/webhooks': async (request, response) => {
        const body = await bodyOf(request);
        const verified = await Promise.resolve()
          .then(() => verifyWebhook(body, request.headers as Record<string, string>, SECRET))
          .then(
            () => true,
            () => false,
          );
        const { type, data } = JSON.parse(body) as { type: string; data: Record<string, string> };
        received.push({ type, sessionId: String(data['PaymentSessionIdentifier']), verified });
        response.writeHead(answer.status).end(answer.body);
      },
    },
  });
  service = await startService({
    args: ['--inspector-port', String(await freePort())],
    businessUnit: { webhook: { url: `${merchant.url}/webhooks`, secrets: [SECRET] } },
  });
  [base = '', token = ''] = service.inspector.split('/#');
});
afterAll(async () => {
  await service.stop();
  await merchant.stop();
});

describe.each(MATRIX_ENGINES)('in %s', (engine) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser.close());

  let page: Page;
  let errors: string[];
  beforeEach(async () => {
    received = [];
    answer = { status: 204, body: '' };
    await service.control.reset();
    const permissions = engine === 'chromium' ? ['clipboard-read', 'clipboard-write'] : [];
    const context = await browser.newContext({ permissions });
    page = await context.newPage();
    errors = collectErrors(page);
  });
  afterEach(() => page.context().close());

  const visit = async (path = '/', on = page): Promise<void> => {
    await on.goto(`${base}${path}#${token}`);
    await on.getByText('Live', { exact: true }).waitFor();
  };
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) });
  const toast = (text: string | RegExp) => page.locator('.toast').getByText(text);
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement === document.body || !activeElement
        ? 'nothing'
        : (activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? '').trim();
    });

  it('R-90 can be used with the keyboard alone, without a focus trap on any screen', async () => {
    const { sessionId } = await service.create('payment');
    await visit(`/sessions/${sessionId}`);
    await button('Card 4242: succeeded').click();
    await page.getByRole('link', { name: /^payment\.succeeded$/ }).waitFor();
    const of = async (list: string, name: RegExp): Promise<string> => {
      await visit(list);
      return (await page.getByRole('link', { name }).first().getAttribute('href')) ?? '';
    };
    const request = await of('/?kind=request', /initiate → 200/);
    const webhook = await of('/webhooks', /payment\.succeeded/);
    for (const path of [
      '/',
      '/sessions',
      '/webhooks',
      '/clock',
      '/faults',
      '/try',
      `/sessions/${sessionId}`,
      request,
      webhook,
    ]) {
      await visit(path);
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      // Events appear and disappear meanwhile, so expect only elements that are present before and after.
      const stops = await page.evaluate(() => {
        (document.activeElement as HTMLElement | null)?.blur();
        const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, [tabindex]')];
        const seen = all.filter(({ tabIndex, offsetParent }) => tabIndex === 0 && offsetParent);
        for (const { dataset } of seen) dataset['walked'] = '0';
        return seen.length;
      });
      const walked: string[] = [];
      for (let isOnPage = true; isOnPage;) {
        await page.keyboard.press('Tab');
        const met = await page.evaluate(() => {
          const element = document.activeElement as HTMLElement;
          if (element === document.body) return null;
          const isAgain = element.dataset['walked'] === '1';
          // The calendar button in a date field has its own outline, which scripts can't read.
          if (isAgain && element.matches('[type=datetime-local]')) return 'seen';
          // Some browsers move from the last element directly to the first.
          if (isAgain) return null;
          element.dataset['walked'] = '1';
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          const isSeen = outlineStyle !== 'none' && outlineWidth !== '0px';
          return isSeen ? 'seen' : `no outline: ${element.outerHTML.slice(0, 120)}`;
        });
        isOnPage = met !== null;
        if (met !== null) walked.push(met);
        expect(walked.length, path).toBeLessThan(3 * stops + 50);
      }
      const missed = await page.evaluate(() =>
        [...document.querySelectorAll('[data-walked="0"]')].map(({ outerHTML }) => outerHTML.slice(0, 120)),
      );
      // Playwright's Firefox draws focus rings only in the first page of a window.
      if (engine === 'chromium') expect(new Set(walked), path).toEqual(new Set(['seen']));
      expect(missed, path).toEqual([]);
    }
  }, 120_000);

  it('R-90 filters events by keyboard', async () => {
    const { sessionId } = await service.create('payment');
    await service.create('wallet');
    await visit();
    const first = page.locator('.event .title').first();
    await first.focus();
    const target = await first.evaluate((link) => (link as HTMLAnchorElement).pathname);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(target);
    await expect.poll(focused).toMatch(/^(Request|Session|Webhook)$/);

    await visit();
    await page.getByLabel('Kind').focus();
    await page.getByLabel('Kind').selectOption('session');
    await expect
      .poll(() =>
        page
          .locator('.event .kind')
          .allInnerTexts()
          .then((kinds) => new Set(kinds)),
      )
      .toEqual(new Set(['Session']));
    expect(await page.locator('select:focus').inputValue()).toBe('session');
    await page.getByLabel('Business unit').selectOption(BUSINESS_UNIT);
    await page.getByLabel('Search').focus();
    await page.keyboard.type(sessionId);
    await expect.poll(() => page.locator('.event').count()).toBe(1);
    expect(errors).toEqual([]);
  });

  it('R-90 sends one request at a time, and shows what happened during a slow response', async () => {
    await visit('/sessions');
    let release: (() => Promise<void>) | undefined;
    let requests = 0;
    await page.route('**/sessions', async (route) => {
      if (requests++ > 0) return route.continue();
      const response = await route.fetch();
      release = () => route.fulfill({ response });
    });
    await service.create('wallet');
    await expect.poll(() => release).toBeDefined();
    const { sessionId } = await service.create('wallet');
    // Another tab has seen the event.
    const other = await page.context().newPage();
    await visit('/sessions', other);
    await other.locator(`a[href$="${sessionId}"]`).first().waitFor();
    expect(requests).toBe(1);
    await release?.();
    await page.locator(`a[href$="${sessionId}"]`).first().waitFor();
    expect(requests).toBe(2);
  });

  it('R-90 keeps what was typed while the service cannot be reached', async () => {
    await visit('/try');
    const body = page.getByLabel('Body', { exact: true });
    await body.fill('{"typed": true}');
    await page.route('**/try', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/try'));
    await service.create('wallet');
    await failed;
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    expect(await body.inputValue()).toBe('{"typed": true}');
  });

  it('R-90 expires a session without losing the focus', async () => {
    const { sessionId } = await service.create('wallet');
    await visit(`/sessions/${sessionId}`);
    await button('Expire').press('Enter');
    await expect.poll(() => page.locator('.lead .status').innerText()).toBe('Expired');
    await expect.poll(focused).toBe('Expire');
    await expect.poll(() => button('Expire').getAttribute('aria-disabled')).toBe('true');
    const { sessionId: other } = await service.create('payment');
    await visit(`/sessions/${other}`);
    await button('Card 4242: succeeded').press('Enter');
    await expect.poll(() => page.locator('.lead .status').innerText()).toBe('Succeeded');
    await expect.poll(focused).toBe('Session');
  });

  it('R-90 enables an address that responded 410, and sends a message again', async () => {
    answer = { status: 410, body: MARKUP };
    const { sessionId } = await service.create('payment');
    await visit(`/sessions/${sessionId}`);
    await button('Card 4242: succeeded').click();
    await page.getByRole('link', { name: /^payment\.succeeded$/ }).click();
    await page.getByText('The address returned 410').waitFor();
    const attempts = page.getByRole('list', { name: 'Attempts' });
    await attempts.getByText('410', { exact: true }).waitFor();
    await attempts.getByText(MARKUP).waitFor();
    answer = { status: 200, body: 'thanks' };
    await button('Enable it').press('Enter');
    await expect.poll(() => page.getByText('The address returned 410').count()).toBe(0);
    await expect.poll(focused).toBe('Webhook');
    const before = received.length;
    await button('Send again').press('Enter');
    await expect.poll(() => received.length).toBeGreaterThan(before);
    await attempts.getByText('thanks').waitFor();
    await expect.poll(focused).toBe('Send again');
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
    expect(errors).toEqual([]);
  });

  it('R-90 moves the clock to a date and back to real time', async () => {
    await visit('/clock');
    const next = new Date(Date.now() + 40 * 86_400_000);
    const local = new Date(next.getTime() - next.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await page.getByLabel('To a date').fill(local);
    await button('Go').press('Enter');
    await expect
      .poll(() => page.getByRole('timer').locator('time').getAttribute('datetime'))
      .toMatch(new RegExp(`^${next.toISOString().slice(0, 16)}`));
    await page.getByText(/^\+39 d|^\+40 d/).waitFor();
    await page.getByLabel('To a date').fill('2020-01-01T00:00');
    await button('Go').click();
    await toast(/before the service’s time/).waitFor();
    await button('Reset').press('Enter');
    await page.getByText('None: real time').waitFor();
    await expect.poll(focused).toBe('Reset');
  });

  it('R-90 reconnects after the service restarts, with the same address, stored data and new events', async () => {
    const { sessionId } = await service.create('payment');
    await visit();
    const row = page.getByRole('link', { name: /initiate → 200/ });
    await row.first().waitFor();
    await service.kill();
    await page.getByText('Connection lost').waitFor();
    await service.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => row.count()).toBe(0);
    await service.create('payment');
    await row.first().waitFor();
    await visit('/sessions');
    await page.getByRole('link', { name: sessionId }).waitFor();
  });

  it('R-90 shows input from merchants, payers and receivers as text', async () => {
    answer = { status: 500, body: MARKUP };
    const { sessionId } = await service.create('payment', {
      PaymentDescriptor: MARKUP.slice(0, 20),
      Charges: [
        {
          Amount: 500,
          Description: MARKUP,
          ClientAccount: { AccountNumber: '1001', Name: MARKUP, Note: MARKUP, Address: { City: MARKUP } },
        },
      ],
      ClientUser: { EmailAddress: 'ada@example.com', FirstName: MARKUP, LastName: MARKUP },
    });
    await service.post(
      `/integrations/${MARKUP}`,
      { [MARKUP]: MARKUP, BusinessUnitSlug: MARKUP },
      { 'idempotency-key': `'><script>1</script>` },
    );
    await fetch(`${service.url}/s/${encodeURIComponent(MARKUP)}/api/session`);
    await visit(`/sessions/${sessionId}`);
    await page.getByText('Account sync').waitFor();
    await button('Card 4242: succeeded').click();
    await page.getByRole('link', { name: /^payment\.succeeded$/ }).click();
    await page.getByRole('list', { name: 'Attempts' }).getByText(MARKUP).first().waitFor();
    await visit('/');
    const hrefs = await page
      .locator('.event a.title')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    expect(hrefs.filter((href) => !href.startsWith(base))).toEqual([]);
    for (const href of new Set(hrefs)) {
      await visit(href.slice(base.length));
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    }
    for (const path of [
      '/sessions/%E0%A4%A',
      '/requests/..%2f',
      '/webhooks/%00',
      `/?q=${encodeURIComponent(MARKUP)}&kind=x`,
    ])
      await visit(path);
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
    expect(errors.filter((error) => !/404/.test(error))).toEqual([]);
  });

  it('R-90 does not let another origin read, change or frame anything', async () => {
    const { sessionId } = await service.create('wallet');
    await page.goto(`${merchant.url}/elsewhere`);
    const came = await page.evaluate(
      async ({ base, sessionId }) => {
        const send = async (path: string, init: RequestInit): Promise<string> =>
          fetch(base + path, init).then(
            async (response) => `${response.type} ${await response.text()}`,
            () => 'refused',
          );
        const post = { method: 'POST', mode: 'no-cors', body: '{"advance":"2d"}' } as const;
        return [
          await send('/events', {}),
          await send('/', {}),
          await send('/sessions', { headers: { authorization: 'Bearer guess' } }),
          await send('/clock', post),
          await send(`/sessions/${sessionId}/cancel`, post),
          await send('/clock', { ...post, headers: { 'content-type': 'text/plain' } }),
        ];
      },
      { base, sessionId },
    );
    expect(came).toEqual(['refused', 'refused', 'refused', 'opaque ', 'opaque ', 'opaque ']);
    await page.setContent(`<iframe src="${base}/" style="width:900px;height:600px"></iframe>`);
    await expect.poll(() => page.frames().length).toBe(2);
    expect(await page.frameLocator('iframe').getByText('Inspector').count()).toBe(0);
    await visit(`/sessions/${sessionId}`);
    expect(await page.locator('.lead .status').innerText()).toBe('Open');
    await visit('/clock');
    await page.getByText('None: real time').waitFor();
  });

  it('R-90 shows the same data in two tabs', async () => {
    const { sessionId } = await service.create('payment');
    const other = await page.context().newPage();
    await visit(`/sessions/${sessionId}`);
    await visit(`/sessions/${sessionId}`, other);
    await button('Cancel').click();
    for (const tab of [page, other])
      await expect.poll(() => tab.locator('.lead .status').innerText()).toBe('Canceled');
  });

  it('R-90 sends every API call from its form', async () => {
    await visit('/try');
    await button('Send').waitFor();
    const calls = await page.getByRole('combobox', { name: /^Call/ }).locator('option').allInnerTexts();
    expect(calls).toHaveLength(14);
    const statuses: Record<string, string> = {};
    for (const call of calls) {
      await page.getByRole('combobox', { name: /^Call/ }).selectOption({ label: call });
      await button('Send').click();
      const answer = page.getByRole('region', { name: 'Response', exact: true });
      statuses[call] = await answer.locator('.status').innerText();
      if (call.startsWith('Start a'))
        await answer.getByRole('link', { name: 'Follow the session' }).waitFor();
      await answer.getByRole('link', { name: 'See the request' }).waitFor();
    }
    // Their examples name a session, payment and enrollment that don't exist.
    const refused = Object.entries(statuses).filter(([, status]) => status !== '200');
    expect(refused.map(([call, status]) => [call.split(' ')[0], status])).toEqual([
      ['Get', '404'],
      ['Refund', '404'],
      ['Cancel', '404'],
      ['Charge', '409'],
      ['Cancel', '404'],
    ]);
    expect(errors.filter((error) => !/40[49]/.test(error))).toEqual([]);
  });

  describe.runIf(engine === 'chromium')('what is copied', () => {
    const copied = async (name: string): Promise<string> => {
      const read = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
      // An earlier copy shows the same message.
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await button(name).click();
      await expect.poll(read).not.toBe('');
      await toast('Copied.').waitFor();
      return read();
    };
    const env = (): NodeJS.ProcessEnv => ({ ...process.env, SERVICE_API_KEY: service.apiKey });

    it('R-90 runs unchanged: the curl command of every call', async () => {
      await visit('/try');
      await button('Send').waitFor();
      const calls = await page.getByRole('combobox', { name: /^Call/ }).locator('option').allInnerTexts();
      const answered = calls.filter((call) => !/^(Get|Refund|List|Cancel|Charge)/.test(call));
      expect(answered).toHaveLength(8);
      for (const call of answered) {
        await page.getByRole('link', { name: 'Try', exact: true }).click();
        await page.getByRole('combobox', { name: /^Call/ }).selectOption({ label: call });
        await button('Send').click();
        await page.getByRole('link', { name: 'See the request' }).click();
        // A reference is valid for one session.
        const curl = (await copied('Copy as curl'))
          .replace(/ClientReference": ?"/g, '$&sh-')
          .replace('curl ', 'curl -s ');
        const { stdout } = await run('bash', ['-c', curl], { env: env() });
        expect(JSON.parse(stdout), call).toMatchObject({ hasErrors: false });
      }
    });

    it('R-90 pays with each test card and account as labeled', async () => {
      const { sessionId } = await service.create('payment');
      await visit(`/sessions/${sessionId}`);
      await button(/^Bank \d{4}: /)
        .first()
        .waitFor();
      const sources = await button(/^(Card|Bank) \d{4}: /).allInnerTexts();
      expect(sources.length).toBeGreaterThanOrEqual(12);
      for (const source of sources) {
        const made = await service.create('payment');
        await page.getByRole('link', { name: 'Sessions', exact: true }).click();
        await page.getByRole('link', { name: made.sessionId }).click();
        await button(source).click();
        const state = page.locator('.lead .status');
        const becomes = /declined|insufficient/.test(source)
          ? 'Requires payment source'
          : /succeeded/.test(source) && source.startsWith('Card')
            ? 'Succeeded'
            : /Processing|Succeeded|Failed|Requires payment source/;
        const payments = page.getByRole('region', { name: 'Payments' });
        await payments.getByText(source.slice(5, 9)).first().waitFor();
        await expect.poll(() => state.innerText(), { message: source }).toMatch(becomes);
      }
    }, 120_000);
  });
});

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type * as LoaderModule from '@embedded-sessions/loader';
import type { FlowEvent } from '@embedded-sessions/loader';
import type { EmbeddedSessionsGlobal } from '../../packages/loader/src/global.js';
import {
  axeViolations,
  bodyOf,
  firstOf,
  MATRIX_ENGINES,
  launch,
  startOrigin,
  type Origin,
} from '../harness/index.js';
import { startOperator, troubleOf, watchTrouble, type Operator } from './faults.js';

declare const window: Window &
  typeof globalThis & {
    EmbeddedSessions: EmbeddedSessionsGlobal;
    L: typeof LoaderModule;
    opened?: string[];
    settle(result: unknown): void;
    settled: unknown[];
  };

const SCRIPT = '/loader/embedded-sessions.iife.js';

let operator: Operator;
let merchant: Origin;
/** The response of the merchant's backend to a button, and the request that it received. */
let answer: { status: number; body: string };
let received: { type: string | undefined; body: string }[];

beforeAll(async () => {
  operator = await startOperator();
  merchant = await startOrigin({
    folders: { '/loader/': 'packages/loader/dist/' },
    routes: {
      '/session': async (request, response) => {
        received.push({ type: request.headers['content-type'], body: await bodyOf(request) });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      },
    },
  });
});
afterAll(async () => {
  await operator.stop();
  await merchant.stop();
});

describe.each(MATRIX_ENGINES)('the script tag in %s', (engine) => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let behavior: string;
  let row = 0;

  beforeAll(async () => {
    browser = await launch(engine);
    context = await browser.newContext();
    page = await context.newPage();
    await watchTrouble(page);
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    behavior = `ok~${engine}${(row += 1)}`;
    received = [];
    answer = {
      status: 200,
      body: JSON.stringify({ sessionUrl: `${operator.url}/${behavior}/s/1#x`, environment: 'staging' }),
    };
  });
  afterEach(async () => {
    const { unhandled, consoleErrors } = await troubleOf(page);
    const ofOthers = consoleErrors.filter((line) => !line.startsWith('embedded-sessions: '));
    expect([unhandled, ofOthers]).toEqual([[], []]);
  });

  const configured = (attributes = '', more = '') =>
    `<script ${attributes} src="${SCRIPT}" data-environment="staging" data-loader-url="${operator.loaderUrl(behavior)}" ${more}></script>`;

  const visit = async (html: string) => {
    merchant.routes['/'] = `<!doctype html><html lang="en"><title>Merchant</title><script>
      window.settled = []; addEventListener('embedded-session:settled', (event) => settled.push(event.detail));
      </script>${html}</html>`;
    await page.goto(`${merchant.url}/`);
    await page.waitForFunction(() => 'EmbeddedSessions' in window);
  };
  it('runs no tag that the page’s policy keeps from running', async () => {
    const injected = `<script data-environment="staging" data-loader-url="${operator.loaderUrl(`bad-${behavior}`)}"></script>`;
    const policy = `<meta http-equiv="content-security-policy" content="script-src 'nonce-abc' 'strict-dynamic'">`;
    merchant.routes['/'] =
      `<!doctype html><html lang="en"><title>Merchant</title>${policy}${injected}${configured('nonce="abc"')}
      <button data-embedded-payment="/session">Pay</button></html>`;
    await page.goto(`${merchant.url}/`);
    await page.hover('button');
    await page.waitForFunction(() => document.querySelectorAll('script').length === 3);
    expect(operator.requests(`bad-${behavior}`)).toEqual([]);
  });

  const settled = () =>
    page.evaluate(() => window.settled.map((detail) => JSON.parse(JSON.stringify(detail)) as unknown));
  const opened = () =>
    page.waitForFunction(() => window.opened?.length).then(() => page.evaluate(() => window.opened));

  it.each(firstOf(2, ['', 'type="module"', 'defer', 'async']))(
    'defines EmbeddedSessions with <script %s>, configured by its own tag',
    async (attributes) => {
      await visit(configured(attributes));
      const result = page.evaluate(
        (url) => window.EmbeddedSessions.completePayment(url),
        `${operator.url}/${behavior}/s/1#x`,
      );
      expect(await opened()).toEqual([`${operator.url}/${behavior}/s/1#x`]);
      await page.evaluate(() => window.settle({ status: 'canceled', by: 'payer' }));
      expect(await result).toEqual({ status: 'canceled', by: 'payer' });
      expect(await page.evaluate(() => Object.keys(window.EmbeddedSessions).toSorted())).toEqual([
        'LoaderError',
        'completePayment',
        'createLoader',
        'environmentOf',
        'isLoaderError',
        'loadService',
        'startFlow',
      ]);
    },
  );

  it(
    'a button in a srcdoc frame requests its session from the page’s origin',
    { tags: ['thorough'] },
    async () => {
      const inside = `${configured()}<button data-embedded-payment="/session">Pay</button>`;
      await visit(`${configured()}<iframe srcdoc="${inside.replaceAll('"', '&quot;')}"></iframe>`);
      const button = page.frameLocator('iframe').getByRole('button', { name: 'Pay' });
      const frame = page.frames()[1]!;
      await frame.waitForFunction(() => 'EmbeddedSessions' in window);
      await button.click();
      await frame.waitForFunction(() => window.opened?.length);
      expect(received).toHaveLength(1);
    },
  );

  it('R-56 with a bundle on the same page, opens one modal at a time, and each gets only its own events', async () => {
    const bundle = `<script type="module">import * as L from '/loader/index.js'; window.L = L;</script>`;
    await visit(configured() + bundle);
    await page.waitForFunction(() => 'L' in window);
    const outcome = await page.evaluate(
      async ({ options, sessions: [mine = '', yours = ''] }) => {
        const service = await window.L.loadService(options);
        const events: Record<'tag' | 'bundle', string[]> = { tag: [], bundle: [] };
        const opens = async (flow: Promise<unknown>, count: number) => {
          while (window.opened?.length !== count)
            await Promise.race([flow, new Promise((resolve) => setTimeout(resolve, 10))]);
        };
        const of = (side: 'tag' | 'bundle') => ({
          onEvent: ({ type }: FlowEvent) => void events[side].push(type),
        });
        const first = window.EmbeddedSessions.completePayment(mine, of('tag'));
        await opens(first, 1);
        const refused: unknown = await service.completePayment(yours).catch((error: unknown) => error);
        window.settle({ status: 'completed', detail: 'paid' });
        const results = [await first];
        const second = service.completePayment(yours, of('bundle'));
        await opens(second, 2);
        window.settle({ status: 'canceled', by: 'payer' });
        results.push(await second);
        return {
          refused: window.EmbeddedSessions.isLoaderError(refused) && refused.code,
          results,
          events,
          tags: document.querySelectorAll('script[src*="embedded.loader.js"]').length,
        };
      },
      {
        options: { environment: 'staging' as const, loaderUrl: operator.loaderUrl(behavior) },
        sessions: [1, 2].map((id) => `${operator.url}/${behavior}/s/${id}#x`),
      },
    );
    expect(outcome).toEqual({
      refused: 'flow_in_progress',
      results: [
        { status: 'completed', detail: 'paid' },
        { status: 'canceled', by: 'payer' },
      ],
      events: { tag: ['opened', 'completed', 'closed'], bundle: ['opened', 'closed'] },
      tags: 1,
    });
  });

  it('twice on a page has no effect', { tags: ['thorough'] }, async () => {
    await visit(configured() + configured('async') + '<button data-embedded-payment="/session">Pay</button>');
    await page.getByRole('button', { name: 'Pay' }).click();
    await opened();
    expect(received).toHaveLength(1);
    expect(operator.requests(behavior)).toHaveLength(1);
  });

  it('R-7 twice on a page for two environments refuses and opens nothing', async () => {
    const production = operator.loaderUrl(`ok~${engine}p${row}`);
    await visit(
      configured() +
        `<script src="${SCRIPT}" data-environment="production" data-loader-url="${production}"></script>`,
    );
    const code = await page.evaluate(
      (url) => window.EmbeddedSessions.completePayment(url).catch((error: { code: string }) => error.code),
      `${operator.url}/${behavior}/s/1#x`,
    );
    expect(code).toBe('environment_mismatch');
    expect(await page.evaluate(() => window.opened)).toEqual([]);
  });

  it('R-8 data-loader-url chooses between data-staging-loader-url and data-production-loader-url', async () => {
    const [staging, production] = [operator.loaderUrl(behavior), operator.loaderUrl(`ok~${engine}p${row}`)];
    await visit(
      `<script src="${SCRIPT}" data-loader-url="${staging}" data-staging-loader-url="${staging}" data-production-loader-url="${production}"></script>`,
    );
    const error = await page.evaluate(
      (url) =>
        window.EmbeddedSessions.startFlow(url).catch((error: { code: string; details: unknown }) => [
          error.code,
          error.details,
        ]),
      `${operator.url}/ok~${engine}p${row}/s/1#x`,
    );
    expect(error).toEqual(['environment_mismatch', { expected: 'staging', found: 'production' }]);
  });

  it('ignores an empty attribute and what the page has added to every object', async () => {
    const url = operator.loaderUrl(behavior);
    await visit(
      `<script>Object.prototype.locale = 'es'</script>
      <script src="${SCRIPT}" data-environment="" data-global-name="" data-loader-url="${url}"
        data-staging-loader-url="${url}" data-production-loader-url=""></script>`,
    );
    void page.evaluate((url) => window.EmbeddedSessions.startFlow(url), `${operator.url}/${behavior}/s/1#x`);
    expect(await opened()).toHaveLength(1);
    await page.evaluate(() => window.settle({ status: 'expired' }));
  });

  it('R-5 data-global-name names the SDK’s global', { tags: ['thorough'] }, async () => {
    await visit(configured('', 'data-global-name="Acme"'));
    const message = await page.evaluate(
      (url) => window.EmbeddedSessions.startFlow(url).catch((error: Error) => error.message),
      `${operator.url}/${behavior}/s/1#x`,
    );
    expect(message).toContain('window.Acme');
  });

  it('R-70 reads data-locale, data-color-scheme, data-accent, prefixes and data-timeout-ms', async () => {
    const prefixes = 'https://a.test/p https://b.test';
    await visit(
      configured(
        '',
        `data-locale="ht" data-color-scheme="dark" data-accent="#336699" data-timeout-ms="9000"
         data-staging-session-prefixes=" ${prefixes} " data-production-session-prefixes="https://live.test"`,
      ),
    );
    const seen = await page.evaluate(async (own) => {
      const code = (error: { code: string }) => error.code;
      const live = await window.EmbeddedSessions.startFlow('https://live.test/1').catch(code);
      const { Service } = window as unknown as { Service: Record<string, unknown> };
      const calls: unknown[] = [];
      Service['startFlow'] = (url: string, options: unknown) => {
        calls.push(url, options);
        return Promise.resolve({ status: 'expired' });
      };
      await window.EmbeddedSessions.startFlow('https://a.test/p/1');
      await window.EmbeddedSessions.startFlow(own);
      return { live, calls };
    }, `${operator.url}/${behavior}/s/1#x`);
    const display = { locale: 'ht', appearance: { colorScheme: 'dark', accent: '#336699' } };
    expect(seen).toEqual({
      live: 'environment_mismatch',
      calls: ['https://a.test/p/1', display, `${operator.url}/${behavior}/s/1#x`, display],
    });
  });

  it('an unhandled rejection is logged once, in one line that names the environments', async () => {
    await visit(configured());
    await page.evaluate(() => {
      void window.EmbeddedSessions.completePayment({
        sessionUrl: 'https://pay.test/s/1#secret',
        environment: 'production',
      });
    });
    await expect.poll(async () => (await troubleOf(page)).consoleErrors.length).toBe(1);
    const { consoleErrors, unhandled } = await troubleOf(page);
    expect(unhandled).toEqual([]);
    expect(consoleErrors[0]).toMatch(/^embedded-sessions: .*staging.*production/);
    expect(consoleErrors[0]).not.toMatch(/\n|secret/);
    await page.evaluate(() => Object.assign(window, { trouble: { unhandled: [], consoleErrors: [] } }));
  });

  it('without configuration names the missing attributes', async () => {
    await visit(`<script src="${SCRIPT}"></script>`);
    const message = await page.evaluate(() =>
      window.EmbeddedSessions.startFlow('https://pay.test/s/1').catch((error: Error) => error.message),
    );
    expect(message).toContain('data-loader-url');
  });

  describe('a button', () => {
    const button = (attributes: string) =>
      `<main><h1>Bill</h1><button type="button" ${attributes}>Pay</button></main>`;
    const pay = () => page.getByRole('button', { name: 'Pay' });

    it.each([
      ['data-embedded-payment', 'completed'],
      ['data-embedded-flow', 'canceled'],
    ])(
      'with %s is busy until it settles, requests one session for two clicks, and dispatches the event',
      async (attribute, status) => {
        await visit(configured('defer') + button(`${attribute}="/session"`));
        await pay().click();
        // Disabled only for assistive technology, so a payer can still press it.
        await pay().click({ force: true });
        await opened();
        expect(await pay().getAttribute('aria-busy')).toBe('true');
        expect(await pay().isEnabled()).toBe(false);
        expect(received).toEqual([{ type: expect.stringContaining('urlencoded') as string, body: '' }]);
        await page.evaluate((status) => window.settle({ status, detail: 1 }), status);
        await expect.poll(settled).toEqual([expect.objectContaining({ status })]);
        expect(await pay().getAttribute('aria-busy')).toBeNull();
        await pay().click();
        await expect.poll(() => received.length).toBe(2);
      },
    );

    it('in a form sends its fields with the CSRF token, and never navigates', async () => {
      await visit(
        configured() +
          `<main><h1>Bill</h1><form action="/elsewhere" method="post"><input type="hidden" name="_csrf" value="t0k=n">
           <label>Amount <input name="amount" value="12.34" required></label>
           <button name="kind" value="now" data-embedded-payment="/session">Pay</button></form></main>`,
      );
      await pay().click();
      await opened();
      expect(Object.fromEntries(new URLSearchParams(received[0]!.body))).toEqual({
        _csrf: 't0k=n',
        amount: '12.34',
        kind: 'now',
      });
      expect(new URL(page.url()).pathname).toBe('/');
    });

    it('of type=button in a form sends the form’s fields too', { tags: ['thorough'] }, async () => {
      await visit(
        configured() +
          `<form><input type="hidden" name="_csrf" value="t0k"><button type="button" name="kind" value="now" data-embedded-payment="/session">Pay</button></form>`,
      );
      await pay().click();
      await opened();
      expect(received[0]!.body).toBe('_csrf=t0k');
    });

    it('in a form with novalidate leaves validation to the backend', { tags: ['thorough'] }, async () => {
      await visit(
        configured() +
          `<form novalidate><input name="amount" required><button data-embedded-payment="/session">Pay</button></form>`,
      );
      await pay().click();
      await opened();
      expect(received[0]!.body).toBe('amount=');
    });

    it('with formnovalidate leaves validation to the backend', { tags: 'thorough' }, async () => {
      await visit(
        configured() +
          `<form><input name="amount" required><button formnovalidate data-embedded-payment="/session">Pay</button></form>`,
      );
      await pay().click();
      await opened();
      expect(received[0]!.body).toBe('amount=');
    });

    it('R-4 with an empty path posts to the page’s own address and opens a payment', async () => {
      await visit(configured() + button('data-embedded-payment'));
      const html = merchant.routes['/'] as string;
      merchant.routes['/'] = async (request, response) => {
        if (request.method === 'POST')
          response.setHeader('content-type', 'application/json').end(answer.body);
        else response.setHeader('content-type', 'text/html').end(html);
      };
      await page.evaluate(
        async (options) => {
          await window.EmbeddedSessions.loadService(options);
          const { Service } = window as unknown as { Service: { startFlow(): never } };
          Service.startFlow = () => {
            throw new Error('a payment was started as another flow');
          };
        },
        { environment: 'staging' as const, loaderUrl: operator.loaderUrl(behavior) },
      );
      await pay().click();
      expect(await opened()).toHaveLength(1);
    });

    it('still reports its result if the page removes it', { tags: ['thorough'] }, async () => {
      await visit(configured() + button('data-embedded-payment="/session"'));
      await pay().click();
      await opened();
      await page.evaluate(() => {
        document.querySelector('button')?.remove();
        window.settle({ status: 'completed', detail: 1 });
      });
      await expect.poll(settled).toEqual([{ status: 'completed', detail: 1 }]);
    });

    it('gives up on a backend that never responds after 30 s, and can be pressed again', async () => {
      merchant.routes['/never'] = () => undefined;
      // Replaces the browser's own timer, which Playwright's clock doesn't control.
      const shortTimeouts = `<script>AbortSignal.timeout = (ms) => {
          const ending = new AbortController();
          window.patienceMs = ms;
          window.giveUp = () => ending.abort(new DOMException('', 'TimeoutError'));
          return ending.signal;
        };</script>`;
      await visit(shortTimeouts + configured() + button('data-embedded-payment="/never"'));
      await pay().click();
      expect(await pay().getAttribute('aria-busy')).toBe('true');
      expect(await page.evaluate(() => (window as { patienceMs?: number }).patienceMs)).toBe(30_000);
      await page.evaluate(() => (window as unknown as { giveUp(): void }).giveUp());
      await expect
        .poll(settled)
        .toEqual([
          { status: 'failed', error: expect.objectContaining({ code: 'network_error' }) as unknown },
        ]);
      expect(await pay().getAttribute('aria-busy')).toBeNull();
      expect(await page.getByRole('alert').textContent()).toContain('try again');
      expect(await page.evaluate(() => window.opened ?? [])).toEqual([]);
      await page.evaluate(() =>
        document.querySelector('button')?.setAttribute('data-embedded-payment', '/session'),
      );
      await pay().click();
      expect(await opened()).toHaveLength(1);
    });

    it('ignores a click dispatched on the document', { tags: ['thorough'] }, async () => {
      await visit(configured() + button('data-embedded-payment="/session"'));
      await page.evaluate(() => document.dispatchEvent(new MouseEvent('click', { bubbles: true })));
      await pay().click();
      await opened();
    });

    it('in an invalid form sends nothing', async () => {
      await visit(
        configured() +
          `<form><input name="amount" required><button data-embedded-payment="/session">Pay</button></form>`,
      );
      await pay().click();
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('amount');
      expect(received).toEqual([]);
    });

    it.each<[string, string, () => void, string]>([
      ...firstOf(1, [401, 403, 404, 409, 422]).map((status): [string, string, () => void, string] => [
        `its backend refuses with ${status}`,
        '/session',
        () => (answer = { status, body: '{}' }),
        'session_failed',
      ]),
      ...firstOf(1, [503, 429, 500]).map((status): [string, string, () => void, string] => [
        `its backend fails temporarily with ${status}`,
        '/session',
        () => (answer = { status, body: '{}' }),
        'network_error',
      ]),
      [
        'its backend returns no JSON',
        '/session',
        () => (answer = { status: 200, body: '<h1>Log in</h1>' }),
        'network_error',
      ],
      [
        'its backend returns no session',
        '/session',
        () => (answer = { status: 200, body: '{"error":1}' }),
        'invalid_options',
      ],
      ['it points to another origin', 'https://evil.test/session', () => undefined, 'invalid_options'],
      [
        'R-7 the session is of another environment',
        '/session',
        () =>
          (answer.body = JSON.stringify({
            sessionUrl: `${operator.url}/${behavior}/s/1`,
            environment: 'production',
          })),
        'environment_mismatch',
      ],
    ])(
      'shows an error, reports the code, and can be pressed again if %s',
      { tags: ['thorough'] },
      async (_, path, arrange, code) => {
        arrange();
        await visit(
          configured() + button(`data-embedded-payment="${path}" data-embedded-error="Please call us."`),
        );
        await pay().focus();
        await page.keyboard.press('Enter');
        await expect
          .poll(settled)
          .toEqual([{ status: 'failed', error: expect.objectContaining({ code }) as unknown }]);
        expect(await page.getByRole('alert').textContent()).toBe('Please call us.');
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Pay');
        expect(await page.evaluate(() => window.opened ?? [])).toEqual([]);
        expect(await axeViolations(page)).toEqual([]);
        await pay().click();
        await expect.poll(async () => (await settled()).length).toBe(2);
        expect(await page.getByRole('alert').count()).toBe(1);
      },
    );

    it('works in an open shadow root, and its event bubbles out', { tags: ['thorough'] }, async () => {
      await visit(configured() + '<main id="host"></main>');
      await page.evaluate(() => {
        const root = document.querySelector('#host')!.attachShadow({ mode: 'open' });
        root.innerHTML = '<button data-embedded-payment="/session"><b>Pay</b></button>';
      });
      await page.locator('b').click();
      await opened();
      await page.evaluate(() => window.settle({ status: 'completed', detail: 1 }));
      await expect.poll(settled).toEqual([{ status: 'completed', detail: 1 }]);
    });

    it('works after its script’s tag was removed', { tags: ['thorough'] }, async () => {
      await visit(configured() + button('data-embedded-payment="/session"'));
      await page.evaluate(() => document.querySelector('script[data-loader-url]')!.remove());
      await pay().click();
      expect(await opened()).toHaveLength(1);
    });

    it('with data-embedded-container opens inline there, and fails if there is no such element', async () => {
      await visit(
        configured() +
          button('data-embedded-payment="/session" data-embedded-container="#place"') +
          '<div id="place"></div>',
      );
      await page.evaluate(
        async (options) => {
          await window.EmbeddedSessions.loadService(options);
          const { Service } = window as unknown as { Service: Record<string, unknown> };
          Service['completePayment'] = (_: string, { container }: { container: Element }) => {
            Object.assign(window, { opened: [container.id] });
            return Promise.resolve({ status: 'expired' });
          };
        },
        { environment: 'staging' as const, loaderUrl: operator.loaderUrl(behavior) },
      );
      await pay().click();
      expect(await opened()).toEqual(['place']);
      await expect.poll(settled).toEqual([{ status: 'expired' }]);
      await page.evaluate(() => document.querySelector('#place')!.remove());
      await pay().click();
      await expect
        .poll(async () => (await settled())[1])
        .toMatchObject({
          error: { code: 'invalid_options' },
        });
    });

    it.each(firstOf(1, ['hover', 'focus'] as const))('loads and warms the SDK on %s', async (how) => {
      // The pointer may still be over the button from an earlier test.
      await page.mouse.move(0, 0);
      await visit(configured() + button('data-embedded-payment="/session"'));
      expect(operator.requests(behavior)).toEqual([]);
      await pay()[how]();
      await expect.poll(() => operator.requests(behavior).length).toBe(1);
      expect(received).toEqual([]);
    });

    it('shows its own message if the SDK cannot be loaded', { tags: ['thorough'] }, async () => {
      behavior = `404~${engine}${row}`;
      await visit(configured() + button(`data-embedded-payment="/session"`));
      await pay().click();
      await expect
        .poll(settled)
        .toEqual([
          { status: 'failed', error: expect.objectContaining({ code: 'network_error' }) as unknown },
        ]);
      expect(await page.getByRole('alert').textContent()).toContain('try again');
    });
  });
});

/** Problems between the SDK script and its hosted pages. */
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  firstOf,
  MATRIX_ENGINES,
  fillCard,
  launch,
  leave,
  payByCard,
  pressDone,
  pressIn,
  pressPay,
  sessionFrame,
  startOrigin,
  startService,
  type Flow,
  type Origin,
  type Service,
} from '../harness/index.js';
import { CARD, save, someCustomer } from '../pages/stage.js';
import { eachPage } from './stage.js';

/** Timeout on a busy machine. A report that is not immediate comes after 25 s, when the offer to retry has timed out. */
const AT_ONCE_MS = 20_000;

let merchant: Origin;
let attacker: Origin;
let service: Service;

beforeAll(async () => {
  [merchant, attacker] = await Promise.all([
    startOrigin({ host: 'localhost', folders: { '/loader/': 'packages/loader/dist/' } }),
    startOrigin(),
  ]);
  service = await startService({ allowedOrigins: [merchant.url] });
  // Repeatedly asks every sibling frame to connect to it, and reports what it receives.
  attacker.routes['/'] = `<title>Attacker</title><script>
    setInterval(() => {
      for (let i = 0; i < parent.frames.length; i++) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => parent.postMessage({ overheard: data }, '*');
        parent.frames[i].postMessage({ type: 'embedded-sessions:init' }, '*', [port2]);
      }
    }, 5);
  </script>`;
  const page = (extra: string): string => `<!doctype html><html lang="en"><title>Pay your bill</title>
    <link rel="icon" href="data:,"><h1>Harborlight Water</h1>${extra}<script src="${service.loaderUrl}"></script>
    <script>
      window.overheard = [];
      addEventListener('message', ({ data }) => data?.overheard && overheard.push(data.overheard));
      window.events = [];
      for (const type of ['ready', 'processing', 'completed', 'expired', 'error', 'closed'])
        Service.on(type, (event) => events.push(event.type));
      window.start = (url) => {
        window.flow = Service.completePayment(url);
        window.result = flow.then((result) => ({ result }), ({ code, message, details }) => ({ code, message, details }));
      };
    </script></html>`;
  merchant.routes['/'] = page('');
  merchant.routes['/attacked'] = page(
    `<iframe title="Advertisement" id="attacker" src="${attacker.url}/"></iframe>`,
  );
});
afterAll(() => Promise.all([merchant.stop(), attacker.stop(), service.stop()]));

describe.each(MATRIX_ENGINES)('SDK and hosted page in %s', (engine) => {
  let page: Page;
  let frame: FrameLocator;
  eachPage(engine, (...next) => ([page, frame] = next));

  const once = it.runIf(engine === MATRIX_ENGINES[0]);

  const open = async (path = '/'): Promise<void> => {
    await page.goto(merchant.url + path);
    const { sessionUrl } = await service.create('payment');
    await page.evaluate(
      (url) => (globalThis as unknown as { start(url: string): void }).start(url),
      sessionUrl,
    );
  };
  const read = (name: 'events' | 'overheard' | 'result'): Promise<unknown> =>
    page.evaluate((name) => (globalThis as unknown as Record<string, unknown>)[name], name);

  it('the hosted page talks only to the page that opened it', async () => {
    await page.goto(`${merchant.url}/attacked`);
    await page.frameLocator('#attacker').locator('html').waitFor();
    const { sessionUrl } = await service.create('payment');
    await page.evaluate(
      (url) => (globalThis as unknown as { start(url: string): void }).start(url),
      sessionUrl,
    );
    const form = sessionFrame(page);
    await payByCard(form);
    pressDone(form);
    expect(await read('result')).toMatchObject({ result: { status: 'completed' } });
    expect(await read('overheard')).toEqual([]);
  });

  it(
    'R-60 the second click of a double click on the opening button does not pay with the saved card',
    { tags: ['thorough'] },
    async () => {
      const ClientUser = someCustomer();
      await save(service, ClientUser, CARD);
      await page.goto(merchant.url);
      const { sessionUrl } = await service.create('payment', { ClientUser });
      await page.evaluate((url) => {
        // Delays the code that delays presses, so the test doesn't depend on speed.
        const held = (): Animation | undefined =>
          document
            .querySelector('dialog > div')
            ?.shadowRoot?.querySelector('section')
            ?.getAnimations({ subtree: true })
            .find((animation) => (animation as CSSAnimation).animationName === 'still');
        new MutationObserver(() => held()?.pause()).observe(document, {
          subtree: true,
          childList: true,
          attributeFilter: ['data-state'],
        });
        (globalThis as unknown as { start(url: string): void }).start(url);
      }, sessionUrl);
      const pay = frame.getByRole('button', { name: /^Pay/ });
      await pay.waitFor();
      const { x, y, width, height } = (await pay.boundingBox())!;
      const root = frame.locator('html');
      await root.evaluate((html) => html.addEventListener('click', () => (html.dataset['pressed'] = 'yes')));
      await page.mouse.click(x + width / 2, y + height / 2);
      expect(await root.getAttribute('data-pressed')).toBeNull();
      // Keys are not delayed.
      await pressPay(frame);
      await frame.getByRole('heading', { name: 'Payment complete' }).waitFor();
    },
  );

  it('R-60 a form that appears late ignores a click, too', { tags: 'thorough' }, async () => {
    const ClientUser = someCustomer();
    await save(service, ClientUser, CARD);
    await page.goto(merchant.url);
    const { sessionUrl } = await service.create('payment', { ClientUser });
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/session*', async (route) => {
      await late;
      await route.continue();
    });
    await page.evaluate(
      (url) => (globalThis as unknown as { start(url: string): void }).start(url),
      sessionUrl,
    );
    const root = frame.locator('html');
    await root.evaluate((html) => {
      // As in the test above.
      new MutationObserver(() => {
        for (const animation of document.getAnimations())
          if ((animation as CSSAnimation).animationName === 'still') animation.pause();
      }).observe(html, { subtree: true, childList: true });
      html.addEventListener('click', ({ target }) => {
        if ((target as Element).closest('#pay')) html.dataset['pressed'] = 'yes';
      });
    });
    // The SDK no longer covers the frame.
    await page.waitForFunction(() => {
      const { x, y, width } = document.querySelector('dialog iframe')!.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + 200)?.localName === 'iframe';
    });
    answer();
    const pay = frame.getByRole('button', { name: /^Pay/ });
    await pay.waitFor();
    const { x, y, width, height } = (await pay.boundingBox())!;
    const click = () => page.mouse.click(x + width / 2, y + height / 2);
    await click();
    expect(await root.getAttribute('data-pressed')).toBeNull();
    await root.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish();
    });
    await click();
    await expect.poll(() => root.getAttribute('data-pressed')).toBe('yes');
  });

  once(
    'R-71 a press reaches the hosted page as soon as hit testing finds the frame',
    { tags: 'thorough' },
    async () => {
      // The shell renders every frame of a page before it responds to the next command.
      const whole = await launch(engine, { needsWindow: true });
      onTestFinished(() => whole.close());
      const page = await whole.newPage();
      const mousedownText = (where: Page | FrameLocator): Promise<string | null> =>
        where.locator('html').getAttribute('data-pressed');
      await page.addInitScript(() => {
        addEventListener('mousedown', () => (document.documentElement.dataset['pressed'] = 'yes'), true);
      });
      // When the frame itself was disabled, Chromium sent a third of these presses to the merchant's page, and nearly all of
      // them if the form appeared after more than half a second.
      for (let turn = 0; turn < 4; turn++) {
        await page.goto(merchant.url);
        const { sessionUrl } = await service.create('payment');
        if (turn % 2)
          await service.control.fault({ kind: 'latency', ms: 600, path: '/s/*/api/session', times: 1 });
        const at = await page.evaluate(async (url) => {
          const { Service, start } = globalThis as unknown as {
            Service: { warm: () => Promise<void> };
            start: (url: string) => void;
          };
          await Service.warm();
          start(url);
          const { port1, port2 } = new MessageChannel();
          port1.start();
          for (;;) {
            const shown = document.querySelector('dialog[open] iframe')?.getBoundingClientRect();
            const [x, y] = shown ? [shown.x + 60, shown.y + 300] : [0, 0];
            if (document.elementFromPoint(x, y)?.localName === 'iframe') return [x, y] as const;
            const turn = new Promise((resolve) => port1.addEventListener('message', resolve, { once: true }));
            port2.postMessage('');
            await turn;
          }
        }, sessionUrl);
        await page.mouse.click(...at);
        expect(await mousedownText(page)).toBeNull();
        expect(await mousedownText(sessionFrame(page))).toBe('yes');
      }
    },
  );

  describe('R-4 a session of', () => {
    type Method = 'completePayment' | 'startFlow';
    /** The result, or `open` if the flow became visible, and every state that was visible to the payer. */
    const opened = (flow: Flow, method: Method, isInline: boolean) =>
      service.create(flow).then(({ sessionUrl }) =>
        page.evaluate(
          async ([sessionUrl, method, isInline]) => {
            const container = isInline ? document.querySelector('h1') : undefined;
            const states: unknown[] = [];
            const seen = new Promise<string>((resolve) => {
              new MutationObserver((records) => {
                for (const { target } of records) states.push((target as HTMLElement).dataset['state']);
                if (states.includes('ready')) resolve('open');
              }).observe(document, { subtree: true, attributeFilter: ['data-state'] });
            });
            const { Service } = window as unknown as {
              Service: Record<Method, (url: string, options: object) => Promise<unknown>>;
            };
            const ended = Service[method](sessionUrl, container ? { container } : {}).catch(
              ({ code, message, details }) => ({ code, message, details }),
            );
            return { outcome: await Promise.race([seen, ended]), states };
          },
          [sessionUrl, method, isInline] as const,
        ),
      );

    const REFUSED: [Flow, Method, isInline: boolean, right: Method][] = [
      ['wallet', 'completePayment', false, 'startFlow'],
      ['payment', 'startFlow', true, 'completePayment'],
      ['payment', 'startFlow', false, 'completePayment'],
    ];
    it.each(firstOf(1, REFUSED))(
      '%s by %s (inline: %s) is refused before it is shown',
      async (flow, method, isInline, right) => {
        await page.goto(merchant.url);
        const { outcome, states } = await opened(flow, method, isInline);
        expect(outcome).toMatchObject({ code: 'flow_failed', details: { reason: 'other_flow' } });
        expect(outcome).toHaveProperty(
          'message',
          expect.stringContaining(`Open it with ${right}: this session is for ${flow}.`),
        );
        expect(states).not.toContain('ready');
        expect(await page.locator('iframe').count()).toBe(0);
      },
    );

    const OPENED: [Flow, Method][] = [
      ['scheduled-payments', 'startFlow'],
      ['payment', 'completePayment'],
      ['wallet', 'startFlow'],
    ];
    it.each(firstOf(1, OPENED))('%s by %s opens', async (flow, method) => {
      await page.goto(merchant.url);
      expect(await opened(flow, method, false)).toMatchObject({ outcome: 'open' });
    });
  });

  it('a cross-origin isolated page opens', { tags: 'thorough' }, async () => {
    for (const policy of ['require-corp', 'credentialless']) {
      merchant.routes['/isolated'] = {
        body: merchant.routes['/'] as string,
        headers: { 'cross-origin-embedder-policy': policy, 'cross-origin-opener-policy': 'same-origin' },
      };
      await open('/isolated');
      await frame.getByLabel('Card number').waitFor();
      await page.evaluate(() => (globalThis as unknown as { flow: { close(): Promise<void> } }).flow.close());
      expect(await read('result')).toEqual({ result: { status: 'canceled', by: 'merchant' } });
    }
  });

  it.each([
    ['has expired', '31m', 0],
    ['expires while open', '29m57s', 1],
  ])(
    'R-51 an inline session that %s does not take the focus from another field',
    { tags: 'thorough' },
    async (_, age, seen) => {
      merchant.routes['/beside'] = (merchant.routes['/'] as string).replace(
        '<script>',
        '<label>Search <input></label><p style="margin-top:2000px"></p><div id="place"></div><script>',
      );
      await page.goto(`${merchant.url}/beside`);
      const search = page.getByLabel('Search');
      await search.focus();
      const { sessionUrl } = await service.create('payment');
      await service.control.advance(age);
      await page.evaluate((url) => {
        const { Service } = globalThis as unknown as {
          Service: { completePayment(url: string, options: object): unknown };
        };
        Service.completePayment(url, { container: document.getElementById('place') });
      }, sessionUrl);
      if (seen === 1) await frame.getByLabel('Card number').waitFor();
      await frame.getByRole('heading', { name: 'This session has expired' }).waitFor();
      await page.keyboard.type('water');
      expect(await search.inputValue()).toBe('water');
      expect(await page.evaluate(() => scrollY)).toBe(0);
    },
  );

  once('R-51 tells the merchant when a session expires while it is open', { tags: 'thorough' }, async () => {
    await open();
    await frame.getByLabel('Card number').waitFor();
    await service.control.advance('31m');
    await fillCard(frame);
    await pressPay(frame);
    await frame.getByRole('heading', { name: 'This session has expired' }).waitFor();
    await expect.poll(() => read('events')).toContain('expired');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    expect(await read('result')).toEqual({ result: { status: 'expired' } });
  });

  once(
    'R-51 offers to start again where the page can get a new session, and nowhere else',
    { tags: 'thorough' },
    async () => {
      const outcomes: string[] = [];
      merchant.routes['/session'] = async (_request, response) => {
        const { sessionUrl } = await service.create('payment');
        outcomes.push(sessionUrl);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sessionUrl }));
      };
      merchant.routes['/buttons'] =
        `<!doctype html><html lang="en"><title>Pay</title><link rel="icon" href="data:,">
      <script>addEventListener('embedded-session:settled', ({ detail }) => { window.settled = detail; });</script>
      <script src="/loader/embedded-sessions.iife.js" data-environment="staging" data-loader-url="${service.loaderUrl}"></script>
      <button data-embedded-payment="/session">Pay the bill</button></html>`;
      await page.goto(`${merchant.url}/buttons`);
      await page.getByRole('button', { name: 'Pay the bill' }).click();
      const expire = async (): Promise<void> => {
        await frame.getByLabel('Card number').waitFor();
        await service.control.advance('31m');
        await fillCard(frame);
        await pressPay(frame);
        await frame.getByRole('heading', { name: 'This session has expired' }).waitFor();
      };
      const again = frame.getByRole('button', { name: 'Start again' });
      await expire();
      leave(pressIn(frame, 'Start again'));
      await payByCard(frame);
      pressDone(frame);
      const settled = () =>
        page.evaluate(() => (globalThis as unknown as { settled?: { status: string } }).settled?.status);
      await expect.poll(settled).toBe('completed');
      expect(outcomes).toHaveLength(2);
      await open();
      await expire();
      expect(await again.count()).toBe(0);
      leave(pressIn(frame, 'Back to Harborlight Water'));
      await expect.poll(() => read('result')).toEqual({ result: { status: 'expired' } });
    },
  );

  it(
    'R-44 closes for a merchant who aborts while the payer asks to close',
    { tags: 'thorough' },
    async () => {
      await open();
      await frame.getByLabel('Card number').fill('4242');
      await page.evaluate(() => {
        document.querySelector('dialog > div')!.shadowRoot!.querySelector('button')!.click();
        void (globalThis as unknown as { flow: { close(): Promise<void> } }).flow.close();
      });
      await expect.poll(() => read('result')).toEqual({ result: { status: 'canceled', by: 'merchant' } });
      expect(await page.locator('iframe').count()).toBe(0);
    },
  );

  it(
    'R-44 keeps the modal open during a slow payment, and a merchant who aborts gets unknown',
    { tags: ['thorough'] },
    async () => {
      await open();
      await fillCard(frame);
      await service.control.fault({ kind: 'latency', ms: 20_000, times: 1, path: '/s/*/api/pay' });
      await pressPay(frame);
      await expect.poll(() => read('events')).toContain('processing');
      await page.keyboard.press('Escape');
      await page.getByText('Your payment is being processed').waitFor();
      await page.evaluate(() => (globalThis as unknown as { flow: { close(): Promise<void> } }).flow.close());
      expect(await read('result')).toEqual({ result: { status: 'unknown' } });
      expect(await page.locator('iframe').count()).toBe(0);
    },
  );

  describe('if the browser blocks the frame', () => {
    const refusedAt = async (headers: Record<string, string>, host: Origin) => {
      host.routes['/'] = { body: merchant.routes['/'] as string, headers };
      await page.goto(host.url);
      const { sessionUrl } = await service.create('payment');
      const began = performance.now();
      await page.evaluate(
        (url) => (globalThis as unknown as { start(url: string): void }).start(url),
        sessionUrl,
      );
      const outcome = (await read('result')) as { code: string; message: string; details: unknown };
      expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      return outcome;
    };
    let foreignOrigin: Origin;
    beforeEach(async () => {
      foreignOrigin = await startOrigin({ host: 'localhost' });
    });
    afterEach(() => foreignOrigin.stop());

    it('reports immediately that its origin is not allowed', async () => {
      const outcome = await refusedAt({}, foreignOrigin);
      expect(outcome).toMatchObject({ code: 'flow_failed', details: { reason: 'origin_not_allowed' } });
      expect(outcome.message).toContain(`add ${foreignOrigin.url} to the business unit's allowedOrigins`);
    });

    /** The outcome on the merchant's page in a frame of another page. */
    const outcomeInside = async (outer: Origin, html: string): Promise<unknown> => {
      outer.routes['/'] = html;
      await page.goto(outer.url);
      const inner = page.frame({ url: `${merchant.url}/` })!;
      await inner.waitForFunction(() => 'start' in window);
      const { sessionUrl } = await service.create('payment');
      return inner.evaluate((url) => {
        const its = window as unknown as { start(url: string): void; result: Promise<unknown> };
        its.start(url);
        return its.result;
      }, sessionUrl);
    };

    once('names the outer page that is not allowed', { tags: 'thorough' }, async () => {
      const portal = await startOrigin();
      const html = `<!doctype html><title>Portal</title><iframe src="${merchant.url}/"></iframe>`;
      expect(await outcomeInside(portal, html)).toMatchObject({
        code: 'flow_failed',
        details: { reason: 'origin_not_allowed' },
        message: expect.stringContaining(`add ${portal.url} to the business unit's allowedOrigins`) as string,
      });
      await portal.stop();
    });

    once('reports that a page in an opaque sandbox can’t be allowed', { tags: 'thorough' }, async () => {
      const outer = await startOrigin();
      const html = `<!doctype html><iframe sandbox="allow-scripts" src="${merchant.url}/"></iframe>`;
      expect(await outcomeInside(outer, html)).toMatchObject({
        code: 'flow_failed',
        details: { reason: 'frame_unreachable' },
        message: expect.stringContaining('allow-same-origin') as string,
      });
      await outer.stop();
    });

    once('pays in a sandbox without allow-forms', { tags: 'thorough' }, async () => {
      merchant.routes['/sandboxed'] =
        '<!doctype html><iframe width="900" height="900" sandbox="allow-scripts allow-same-origin" src="/"></iframe>';
      await page.goto(`${merchant.url}/sandboxed`);
      const inside = page.frames()[1]!;
      await inside.waitForFunction(() => 'start' in globalThis);
      const { sessionUrl } = await service.create('payment');
      await inside.evaluate(
        (url) => (globalThis as unknown as { start(url: string): void }).start(url),
        sessionUrl,
      );
      const form = page.frameLocator('iframe').frameLocator('[data-state=ready] > iframe');
      await fillCard(form);
      await pressPay(form);
      await form.getByRole('heading', { name: 'Payment complete' }).waitFor();
    });

    const POLICIES: Readonly<Record<string, (own: string) => string>> = {
      'frame-src': (own) => `frame-src 'self'; script-src 'unsafe-inline' ${own}`,
      'child-src instead': (own) => `child-src 'self'; script-src 'unsafe-inline' ${own}`,
      'only default-src': (own) => `default-src 'self' 'unsafe-inline'; script-src 'unsafe-inline' ${own}`,
    };

    it.each(Object.entries(POLICIES))(
      "reports immediately that the page's own policy blocks it: %s",
      { tags: 'thorough' },
      async (_, policy) => {
        const headers = { 'content-security-policy': policy(service.url) };
        const outcome = await refusedAt(headers, foreignOrigin);
        expect(outcome).toMatchObject({ code: 'csp_blocked', details: { reason: 'frame_src' } });
        expect(outcome.message).toContain(`add ${new URL(service.url).origin} to frame-src`);
        expect(outcome.message).not.toContain('allowedOrigins');
      },
    );

    it('does not report a report-only policy, which blocks nothing', { tags: 'thorough' }, async () => {
      const host = merchant.routes['/'];
      merchant.routes['/reported'] = {
        body: host as string,
        headers: { 'content-security-policy-report-only': `frame-src 'none'; child-src 'none'` },
      };
      await open('/reported');
      await payByCard(frame);
      pressDone(frame);
      expect(await read('result')).toMatchObject({ result: { status: 'completed' } });
    });

    it.each([
      [
        'its origin is not allowed',
        () => ({}),
        () => `add ${foreignOrigin.url} to the business unit's allowedOrigins`,
      ],
      [
        "the page's own policy blocks it",
        () => ({
          'content-security-policy': `frame-src 'self'; script-src 'self' 'unsafe-inline' ${service.url}`,
        }),
        () => `add ${new URL(service.url).origin} to frame-src`,
      ],
    ])('a button of the script tag: %s', { tags: 'thorough' }, async (_, headers, fix) => {
      await foreignOrigin.stop();
      foreignOrigin = await startOrigin({
        host: 'localhost',
        folders: { '/loader/': 'packages/loader/dist/' },
        routes: {
          '/': {
            body: `<!doctype html><html lang="en"><title>Pay your bill</title><link rel="icon" href="data:,">
              <script src="/loader/embedded-sessions.iife.js" data-environment="staging" data-loader-url="${service.loaderUrl}"></script>
              <button data-embedded-payment="/session">Pay</button></html>`,
            headers: headers(),
          },
          '/session': async (_, response) => {
            const { sessionUrl } = await service.create('payment');
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ sessionUrl, environment: 'staging' }));
          },
        },
      });
      const errors: string[] = [];
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.goto(foreignOrigin.url);
      const button = page.locator('[data-embedded-payment]');
      // The module that watches the frame loads after the frame was refused.
      await service.control.fault({ kind: 'latency', ms: 1_000, path: '/app/words.js', times: 1 });
      const began = performance.now();
      await button.click();
      // There is no "Please try again", because the payer can't change anything. The console says what the developer can change.
      await page.getByText('This could not be opened.', { exact: true }).waitFor({ state: 'attached' });
      expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
      await expect
        .poll(() => errors.filter((line) => line.startsWith('embedded-sessions:')))
        .toEqual([expect.stringContaining(fix())]);
      await expect.poll(() => button.getAttribute('aria-busy')).toBeNull();
    });
  });
});

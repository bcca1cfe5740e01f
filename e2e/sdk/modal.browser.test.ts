import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  axeViolations,
  collectErrors,
  firstOf,
  IS_MATRIX,
  MATRIX_ENGINES,
  launch,
  openTab,
  leave,
  pressDone,
  pressIn,
  sessionFrame,
} from '../harness/index.js';
import { SECRET, startStage, type Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

const AS_ON_A_DESKTOP = {
  // Enables scrollbars that take up space and the back/forward cache, as in a user's browser.
  ignoreDefaultArgs: ['--hide-scrollbars', '--disable-back-forward-cache'],
  // Playwright doesn't notice when Firefox restores a page from its cache.
  firefoxUserPrefs: { 'browser.sessionhistory.max_total_viewers': 0 },
};

describe.each(MATRIX_ENGINES)('modal in %s', (engine) => {
  let browser: Browser;
  let page: Page;
  let frame: FrameLocator;
  let errors: string[];

  beforeAll(async () => {
    browser = await launch(engine, AS_ON_A_DESKTOP);
  });
  afterAll(() => browser.close());
  const begin = async (inside: Browser): Promise<void> => {
    page = await openTab(inside);
    await page.setViewportSize({ width: 1000, height: 700 });
    errors = collectErrors(page);
    frame = sessionFrame(page);
  };
  beforeEach(() => begin(browser));
  afterEach(() => page.close());

  // Tests that don't depend on the engine run once, to keep the suite fast.
  const once = it.runIf(engine === MATRIX_ENGINES[0]);

  const visit = async (path = '/'): Promise<void> => {
    await page.goto(stage.merchant.url + path);
  };
  const press = async (mode?: string): Promise<void> => {
    await page.evaluate((url) => Object.assign(globalThis, { sessionUrl: url }), stage.sessionUrl(mode));
    await page.getByRole('button', { name: 'Pay now' }).click();
  };
  /** Playwright scrolls to the element before it clicks. */
  const openByScript = (): Promise<void> =>
    page.evaluate(
      (url) => (globalThis as unknown as { openFlow: (url: string) => void }).openFlow(url),
      stage.sessionUrl(),
    );
  const open = async (mode?: string): Promise<void> => {
    await press(mode);
    await frame.getByLabel('Card number').waitFor();
  };
  const result = (): Promise<unknown> =>
    page.evaluate(() => (globalThis as unknown as { result: Promise<unknown> }).result);
  const isPending = (): Promise<boolean> =>
    page.evaluate(async () => {
      const { result } = globalThis as unknown as { result: Promise<unknown> };
      return (await Promise.race([result, Promise.resolve('pending')])) === 'pending';
    });
  const events = (): Promise<string[]> =>
    page.evaluate(() =>
      (globalThis as unknown as { events: { type: string }[] }).events.map(({ type }) => type),
    );
  const dialog = (): ReturnType<Page['getByRole']> => page.getByRole('dialog', { name: 'Secure payment' });
  const focused = (): Promise<string | undefined> =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);

  it('R-1 shows a titled frame in a named dialog, focuses the form, and returns the focus', async () => {
    await visit();
    await open();
    await dialog().waitFor();
    expect(await page.locator('iframe').getAttribute('title')).toBe('Secure payment');
    await expect
      .poll(() => frame.locator('#card').evaluate((card) => card === document.activeElement))
      .toBe(true);
    await page.keyboard.type('4242');
    await expect.poll(() => frame.locator('#card').inputValue()).toBe('4242');
    leave(frame.locator('#card').press('Escape'));
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
    expect(await focused()).toBe('pay');
    expect(await page.locator('iframe, dialog').count()).toBe(0);
    expect(await events()).toEqual(['opened', 'ready', 'closed']);
    expect(errors).toEqual([]);
  });

  it('R-1 closes on Escape outside the frame and on its button', async () => {
    await visit();
    await open();
    const cross = page.getByRole('button', { name: 'Close' });
    await cross.focus();
    await page.keyboard.press('Escape');
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
    await open();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
    expect(await focused()).toBe('pay');
  });

  once(
    'R-1 R-56 leaves no listeners on the page, and calls no removed listener',
    { tags: 'thorough' },
    async () => {
      await visit();
      await page.evaluate(() => {
        const shop = globalThis as unknown as {
          Service: { on(type: string, handler: () => void): () => void };
          calls: number;
        };
        shop.calls = 0;
        shop.Service.on('opened', () => (shop.calls += 1))();
      });
      const session = await page.context().newCDPSession(page);
      const listening = async (): Promise<string[]> => {
        const { result } = await session.send('Runtime.evaluate', { expression: 'window' });
        const of = { objectId: result.objectId ?? '' };
        const { listeners } = await session.send('DOMDebugger.getEventListeners', of);
        return listeners.map(({ type }) => type).toSorted();
      };
      const before = await listening();
      await open();
      expect(await listening()).not.toEqual(before);
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
      expect(await listening()).toEqual(before);
      expect(await page.evaluate('calls')).toBe(0);
    },
  );

  it('R-1 shows a loading state while the page loads', { tags: ['thorough'] }, async () => {
    let respond: (() => void) | undefined;
    stage.service.routes['/s/stg_slow'] = (_, response) =>
      new Promise<void>((resolve) => {
        respond = () => {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end(stage.service.routes['/s/stg_plain'] as string);
          resolve();
        };
      });
    await visit();
    const isShownAtOnce = await page.evaluate((url) => {
      (globalThis as unknown as { openFlow: (url: string) => void }).openFlow(url);
      const host = document.querySelector('[data-state=loading]');
      const status = host?.shadowRoot?.querySelector('output');
      return status?.textContent === 'Loading…' && status.getBoundingClientRect().height > 0;
    }, stage.sessionUrl('slow'));
    // Runs in the same task as the call, before any timer, request or rendering.
    expect(isShownAtOnce).toBe(true);
    await page.getByText('Loading…').waitFor();
    await expect.poll(() => respond !== undefined).toBe(true);
    respond?.();
    await frame.getByLabel('Card number').waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
  });

  it("R-71 shows the page's brand and skeleton before its session arrives", async () => {
    const plain = stage.service.routes['/s/stg_plain'] as string;
    stage.service.routes['/s/stg_opening'] = plain.replace(/say\(\{ type: 'resize'.*/, '');
    await visit();
    await page.evaluate(
      (url) => (globalThis as unknown as { openFlow: (url: string) => void }).openFlow(url),
      stage.sessionUrl('opening'),
    );
    await page.locator('[data-state=ready] > iframe').waitFor();
    await frame.getByRole('heading', { name: 'Session' }).waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
  });

  it("R-2 never puts the session's secret into an attribute of the merchant's page", async () => {
    await visit();
    await page.evaluate(() => {
      const seen: string[] = [];
      const read = (node: Node): void => {
        if (node instanceof Element) {
          seen.push(...[...node.attributes].map(({ value }) => value));
          for (const child of node.querySelectorAll('*')) read(child);
        }
      };
      new MutationObserver((records) => {
        for (const { target, addedNodes, oldValue } of records) {
          [target, ...addedNodes].forEach(read);
          if (oldValue !== null) seen.push(oldValue);
        }
      }).observe(document, { subtree: true, childList: true, attributes: true, attributeOldValue: true });
      Object.assign(globalThis, { seen });
    });
    await open();
    await pressIn(frame, 'Medium');
    const places = await page.evaluate(() => ({
      seen: (globalThis as unknown as { seen: string[] }).seen,
      html: document.documentElement.outerHTML,
      entries: performance.getEntries().map(({ name }) => name),
      events: JSON.stringify((globalThis as unknown as { events: unknown[] }).events),
    }));
    expect(places.seen.length).toBeGreaterThan(0);
    expect(JSON.stringify(places)).not.toContain(SECRET);
    expect(await frame.locator('html').evaluate(() => location.hash)).toBe(`#${SECRET}`);
  });

  once(
    'creates its frame without an initial empty document, which delays clicks, and requests no other page',
    { tags: 'thorough' },
    async () => {
      await visit();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      await page.evaluate(() => {
        const loaded: string[] = [];
        const onLoad = ({ target }: Event): void => {
          if (target instanceof HTMLIFrameElement) loaded.push(target.contentDocument?.URL ?? 'a session');
        };
        document.addEventListener('load', onLoad, true);
        Object.assign(globalThis, { loaded });
      });
      await open();
      const loaded = (): Promise<string[]> =>
        page.evaluate(() => (globalThis as unknown as { loaded: string[] }).loaded);
      await expect.poll(loaded).toEqual(['a session']);
      expect(requests.filter((path) => path.startsWith('/s/'))).toEqual(['/s/stg_plain']);
    },
  );

  once('R-1 sends its frame off before it makes what is around it', { tags: 'thorough' }, async () => {
    await visit();
    await page.evaluate(() => {
      // The words and buttons around the frame are in a shadow root.
      Element.prototype.attachShadow = new Proxy(Reflect.get(Element.prototype, 'attachShadow'), {
        apply(attach, host: Element, given: [ShadowRootInit]) {
          Object.assign(globalThis, { hasFrame: host.querySelector('iframe')?.contentWindow != null });
          return Reflect.apply(attach, host, given);
        },
      });
    });
    await open();
    expect(await page.evaluate(() => (globalThis as unknown as { hasFrame: boolean }).hasFrame)).toBe(true);
  });

  it('R-1 locks scrolling without shifting the page, and unlocks it', { tags: ['thorough'] }, async () => {
    await visit();
    const place = (): Promise<unknown> =>
      page.evaluate(() => {
        const { left, width } = document.querySelector('main')!.getBoundingClientRect();
        return { left, width, scrollY };
      });
    await page.evaluate(() => scrollTo(0, 20));
    const before = await place();
    await openByScript();
    await frame.getByLabel('Card number').waitFor();
    await page.mouse.move(5, 300);
    await page.mouse.wheel(0, 500);
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    expect(await place()).toEqual(before);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('hidden');
    await page.getByRole('button', { name: 'Close' }).click();
    await result();
    expect(await place()).toEqual(before);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).not.toBe(
      'hidden',
    );
    expect(await page.evaluate(() => document.documentElement.getAttribute('style'))).toBe(null);
  });

  it.each(
    firstOf(1, [
      'html, body { height: 100% } body { overflow-x: hidden }',
      'body { height: 100vh; overflow-y: scroll }',
      'html, body { height: 100%; overflow-x: hidden }',
    ]),
  )('R-1 keeps the scroll position of a page with the style %s', { tags: ['thorough'] }, async (content) => {
    await visit();
    await page.addStyleTag({ content });
    const top = (): Promise<number> =>
      page.evaluate(() => document.querySelector('#tall')!.getBoundingClientRect().top);
    await page.evaluate(() => document.querySelector('#tall')!.scrollIntoView());
    const before = await top();
    expect(before).toBeCloseTo(0, 0);
    await openByScript();
    await frame.getByLabel('Card number').waitFor();
    expect(await top()).toBe(before);
    await page.getByRole('button', { name: 'Close' }).click();
    await result();
    expect(await top()).toBe(before);
  });

  it('R-44 delays closing while a payment is in flight, then reports its verdict', async () => {
    await visit();
    await open();
    await pressIn(frame, 'Pay');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Your payment is being processed').waitFor();
    await page.evaluate(() => {
      const closes = { times: 0 };
      Object.assign(globalThis, { closes });
      MessagePort.prototype.postMessage = new Proxy(Reflect.get(MessagePort.prototype, 'postMessage'), {
        apply(post, port, given: [{ type: string }]) {
          if (given[0].type === 'close') closes.times++;
          return Reflect.apply(post, port, given);
        },
      });
    });
    for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
    // The flow closes if its page replies after the payment has succeeded. In Firefox, a key can arrive after `press` resolves.
    const requested = () =>
      page.evaluate(() => (globalThis as unknown as { closes: { times: number } }).closes.times);
    await expect.poll(requested).toBeGreaterThan(0);
    await expect
      .poll(async () => Number(await frame.locator('body').getAttribute('data-closes')) - (await requested()))
      .toBe(1);
    await dialog().waitFor();
    expect(await isPending()).toBe(true);
    await pressIn(frame, 'Succeed');
    await expect.poll(events).toEqual(['opened', 'ready', 'processing', 'completed']);
    expect(await page.getByText('Your payment is being processed').count()).toBe(0);
    expect(await isPending()).toBe(true);
    await pressIn(frame, 'Expire');
    pressDone(frame);
    const detail = { Status: 'Succeeded', Charges: [{ Amount: 1234 }] };
    expect(await result()).toEqual({ result: { status: 'completed', sessionId: 'stg_plain', detail } });
    expect(await events()).toEqual(['opened', 'ready', 'processing', 'completed', 'closed']);
  });

  once('R-44 a declined payment can be closed again, and is canceled', async () => {
    await visit();
    await open();
    await pressIn(frame, 'Pay');
    await pressIn(frame, 'Decline');
    await pressIn(frame, 'Cancel');
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
    expect(await events()).toEqual(['opened', 'ready', 'processing', 'ready', 'closed']);
  });

  it('R-44 is canceled by the merchant only if the page says that nothing is in flight', async () => {
    await visit();
    const close = (): Promise<void> =>
      page.evaluate(() => (globalThis as unknown as { flow: { close(): Promise<void> } }).flow.close());
    await open();
    await close();
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'merchant' } });
    await open();
    await pressIn(frame, 'Pay');
    await close();
    expect(await result()).toEqual({ result: { status: 'unknown' } });
    await open('mute');
    await close();
    expect(await result()).toEqual({ result: { status: 'unknown' } });
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('R-60 takes no report that the page sent before for its reply', async () => {
    await visit();
    await open('mute');
    const closing = page.evaluate(() =>
      (globalThis as unknown as { flow: { close(): Promise<void> } }).flow.close(),
    );
    await pressIn(frame, 'Decline');
    await closing;
    expect(await result()).toEqual({ result: { status: 'unknown' } });
  });

  once('R-51 tells that a session has expired once it is closed', { tags: 'thorough' }, async () => {
    await visit();
    await open();
    await pressIn(frame, 'Expire');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await result()).toEqual({ result: { status: 'expired' } });
    expect(await events()).toEqual(['opened', 'ready', 'expired', 'closed']);
  });

  once('rejects with what the page says when it cannot go on', { tags: 'thorough' }, async () => {
    await visit();
    await open();
    await pressIn(frame, 'Break');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await result()).toMatchObject({ code: 'flow_failed', details: { reason: 'page_error' } });
  });

  it('offers a retry when the frame does not respond', { tags: ['thorough'] }, async () => {
    await page.clock.install();
    await visit();
    await press('late');
    await page.getByText('Loading…').waitFor();
    await page.clock.fastForward(10_001);
    await page.getByText('This page couldn’t be loaded.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await frame.getByLabel('Card number').waitFor();
    await expect.poll(events).toEqual(['opened', 'error', 'ready']);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.clock.resume();
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
  });

  once('settles by itself when nobody answers at all, naming what to configure', async () => {
    await page.clock.install();
    await visit();
    await press('silent');
    await page.clock.fastForward(10_001);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.clock.fastForward(15_001);
    const outcome = (await result()) as { message: string };
    expect(outcome).toMatchObject({ code: 'flow_failed', details: { reason: 'frame_unreachable' } });
    expect(outcome.message).toContain('allowedOrigins');
    expect(outcome.message).toContain(stage.merchant.url);
    expect(outcome.message).not.toContain(SECRET);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('ignores forged messages from another origin, another frame of the right origin, and the page itself', async () => {
    const forge = (own: string): string => `<script>
      const fakes = [
        { type: 'completed', sessionId: 'stg_plain', detail: 'forged' }, { type: 'expired' },
        { type: 'close-request', reason: 'done' }, { type: 'ready' }, { type: 'embedded-sessions:init' },
      ];
      onmessage = () => {
        for (const fake of fakes) {
          const { port1 } = new MessageChannel();
          parent.postMessage(fake, '*', [port1]);
          for (let i = 0; i < parent.frames.length; i++) parent.frames[i].postMessage(fake, '*');
        }
        parent.postMessage('${own}-done', '*');
      };
    </script>`;
    stage.service.routes['/forger'] = forge('right');
    stage.merchant.routes['/forger'] = forge('own');
    await visit();
    await open();
    await page.evaluate(
      async (urls) => {
        for (const url of urls) {
          const other = document.createElement('iframe');
          other.src = url;
          document.querySelector('#inline')!.append(other);
          await new Promise((resolve) => other.addEventListener('load', resolve));
          const done = new Promise((resolve) =>
            addEventListener('message', ({ data }) => String(data).endsWith('-done') && resolve(data)),
          );
          other.contentWindow!.postMessage('go', '*');
          await done;
          other.remove();
        }
        for (const type of ['completed', 'expired', 'ready']) {
          postMessage({ type, sessionId: 'stg_plain', detail: 'forged' }, '*');
        }
      },
      [`${stage.service.url}/forger`, `${stage.merchant.url}/forger`],
    );
    expect(await isPending()).toBe(true);
    expect(await events()).toEqual(['opened', 'ready']);
    await pressIn(frame, 'Unknown type');
    await pressIn(frame, 'Cancel');
    expect(await result()).toEqual({ result: { status: 'canceled', by: 'payer' } });
  });

  once('R-7 refuses a session of anywhere else before anything opens', async () => {
    await visit();
    const outcomes = await page.evaluate(
      async (urls) => {
        const { openFlow } = globalThis as unknown as { openFlow: (url: string) => void };
        const all: unknown[] = [];
        for (const url of urls) {
          openFlow(url);
          all.push(await (globalThis as unknown as { result: Promise<unknown> }).result);
        }
        return { all, frames: document.querySelectorAll('iframe, dialog').length };
      },
      [`https://pay.example/s/prd_1#${SECRET}`, `${stage.service.url}/s/prd_1#${SECRET}`],
    );
    expect(outcomes.frames).toBe(0);
    expect(outcomes.all).toMatchObject([
      { code: 'environment_mismatch', details: { expected: 'staging', found: 'production' } },
      { code: 'environment_mismatch', details: { expected: 'staging', found: 'production' } },
    ]);
    expect(await events()).toEqual([]);
  });

  once('opens one modal at a time', { tags: ['thorough'] }, async () => {
    await visit();
    await open();
    const second = await page.evaluate((url) => {
      const { Service, outcome } = globalThis as unknown as {
        Service: { startFlow(url: string): Promise<unknown> };
        outcome: (promise: Promise<unknown>) => unknown;
      };
      return outcome(Service.startFlow(url));
    }, stage.sessionUrl());
    expect(second).toMatchObject({ code: 'flow_in_progress' });
    expect(await page.locator('iframe').count()).toBe(1);
    await pressIn(frame, 'Cancel');
    expect(await result()).toMatchObject({ result: { status: 'canceled' } });
    await open();
  });

  it(
    'settles and unlocks scrolling when the payer leaves the page, and works after Back',
    { tags: ['thorough'] },
    async () => {
      // This test needs a window, because headless browsers have no back/forward cache.
      const whole = await launch(engine, { ...AS_ON_A_DESKTOP, needsWindow: true });
      onTestFinished(() => whole.close());
      await page.close();
      await begin(whole);
      await visit();
      await open();
      await page.evaluate(() => {
        const { result } = globalThis as unknown as { result: Promise<unknown> };
        void result.then((value) => sessionStorage.setItem('settled', JSON.stringify(value)));
        addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { persisted }));
      });
      await page.goto(`${stage.merchant.url}/elsewhere`);
      await page.evaluate(() => history.back());
      await page.getByRole('heading', { name: 'Harborlight Water' }).waitFor();
      if (engine === 'chromium') await page.waitForFunction(() => 'persisted' in globalThis);
      expect(await page.evaluate(() => sessionStorage.getItem('settled'))).toBe(
        '{"result":{"status":"unknown"}}',
      );
      expect(await page.locator('iframe, dialog').count()).toBe(0);
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).not.toBe(
        'hidden',
      );
      await open();
    },
  );

  once('settles when the page takes its frame away', { tags: 'thorough' }, async () => {
    await visit();
    await open();
    await page.evaluate(() => document.querySelector('dialog')!.remove());
    expect(await result()).toEqual({ result: { status: 'unknown' } });
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).not.toBe(
      'hidden',
    );
  });

  once(
    'stays open while the page replaces its body, as Turbo and htmx do',
    { tags: 'thorough' },
    async () => {
      await visit();
      await open();
      await frame.getByLabel('Card number').fill('4242');
      await page.evaluate(() => (document.body = document.createElement('body')));
      expect(await frame.getByLabel('Card number').inputValue()).toBe('4242');
      await pressIn(frame, 'Succeed');
      pressDone(frame);
      expect(await result()).toMatchObject({ result: { status: 'completed' } });
    },
  );

  it('works under a strict policy and enforced Trusted Types', { tags: 'thorough' }, async () => {
    await visit('/strict');
    await open();
    const style = await dialog().evaluate((element) => getComputedStyle(element).borderRadius);
    expect(style).toBe('12px');
    await pressIn(frame, 'Cancel');
    expect(await result()).toMatchObject({ result: { status: 'canceled' } });
    expect(errors).toEqual([]);
  });

  it("is not affected by the merchant's own styles", { tags: 'thorough' }, async () => {
    await visit('/hostile');
    await openByScript();
    await frame.getByLabel('Card number').waitFor();
    const box = await page.locator('iframe').boundingBox();
    expect(box!.height).toBeGreaterThan(100);
    await pressIn(frame, 'Cancel');
    expect(await result()).toMatchObject({ result: { status: 'canceled' } });
  });

  it('rises when it opens, and not with reduced motion', { tags: 'thorough' }, async () => {
    const start = async (reducedMotion: 'reduce' | 'no-preference', width: number): Promise<string> => {
      await page.emulateMedia({ reducedMotion });
      await page.setViewportSize({ width, height: 700 });
      await visit();
      return page.evaluate((url) => {
        (globalThis as unknown as { openFlow: (url: string) => void }).openFlow(url);
        const dialog = document.querySelector('dialog')!;
        for (const animation of dialog.getAnimations()) {
          animation.pause();
          animation.currentTime = 0;
        }
        return getComputedStyle(dialog).translate;
      }, stage.sessionUrl());
    };
    expect(await start('no-preference', 1000)).toBe('0px 16px');
    expect(await start('no-preference', 375)).toBe('0px 100%');
    // Playwright can't emulate it in Firefox.
    if (engine === 'chromium') expect(await start('reduce', 1000)).toBe('none');
  });

  once(
    'R-71 is in the middle if it is short, and otherwise keeps its top in place',
    { tags: ['thorough'] },
    async () => {
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1000, height: 900 });
      await visit();
      await open();
      const place = async (): Promise<unknown> => {
        const { y, height } = (await dialog().boundingBox())!;
        return { y, height };
      };
      await pressIn(frame, 'Short');
      await expect.poll(place).toEqual({ y: 250, height: 400 });
      await pressIn(frame, 'Medium');
      await expect.poll(place).toEqual({ y: 66, height: 701 });
      await pressIn(frame, 'Large');
      await expect.poll(place).toEqual({ y: 66, height: 818 });
    },
  );

  once('R-71 has an edge that is seen over a page as dark as itself', { tags: 'thorough' }, async () => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await visit();
    await page.evaluate(() => {
      const { style } = document.documentElement;
      Object.assign(style, { colorScheme: 'dark', background: 'Canvas' });
    });
    await open();
    const { x, y, height } = (await dialog().boundingBox())!;
    const clip = { x: x - 3, y: Math.round(y + height / 2), width: 6, height: 1 };
    const picture = (await page.screenshot({ clip })).toString('base64');
    const greens = await page.evaluate(async (png) => {
      const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(bitmap.width, 1).getContext('2d')!;
      canvas.drawImage(bitmap, 0, 0);
      return [...canvas.getImageData(0, 0, bitmap.width, 1).data].filter((_, index) => index % 4 === 1);
    }, picture);
    // Colors of the dimmed page, the edge and the dialog.
    expect(greens[0]).toBeLessThan(20);
    expect(greens[2]! - greens[1]!).toBeGreaterThan(20);
  });

  it.runIf(engine === 'chromium')(
    'R-1 keeps its size on a page with CSS zoom',
    { tags: 'thorough' },
    async () => {
      await page.setViewportSize({ width: 1000, height: 700 });
      const size = async (): Promise<number[]> => {
        const { width, height } = (await dialog().boundingBox())!;
        return [Math.round(width), Math.round(height)];
      };
      for (const zoom of ['1', '2', '0.5']) {
        await visit();
        await page.evaluate((value) => document.documentElement.style.setProperty('zoom', value), zoom);
        await open();
        await pressIn(frame, 'Large');
        await expect.poll(size, { message: zoom }).toEqual([480, 672]);
      }
    },
  );

  it(
    "can be used while the merchant's own modal makes the page inert, and returns the focus to it",
    { tags: 'thorough' },
    async () => {
      await visit();
      // As common libraries do, and pages that wait for their styles.
      await page.evaluate(() => {
        document.body.style.cssText = 'pointer-events:none;visibility:hidden;user-select:none;cursor:wait';
        const modal = document.createElement('dialog');
        modal.innerHTML = '<button id="inner" style="pointer-events:auto">Pay in the modal</button>';
        document.body.append(modal);
        modal.showModal();
      });
      await openByScript();
      const field = frame.getByLabel('Card number');
      await field.waitFor();
      await frame.getByRole('heading').click();
      const { x, y, width, height } = (await field.boundingBox())!;
      await page.mouse.click(x + width / 2, y + height / 2);
      await page.keyboard.type('4242');
      expect(await field.inputValue()).toBe('4242');
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await result()).toMatchObject({ result: { status: 'canceled' } });
      expect(await focused()).toBe('inner');
      expect(errors).toEqual([]);
    },
  );

  once('R-5 loaded twice, the first stays', async () => {
    await visit('/twice');
    expect(
      await page.evaluate(
        () => (globalThis as unknown as { Service: { environment: string } }).Service.environment,
      ),
    ).toBe('production');
  });

  describe.each(
    IS_MATRIX && engine === 'chromium'
      ? [
          [320, 480],
          [1280, 800],
        ]
      : [[320, 480]],
  )('at %d × %d', (width, height) => {
    // The test command covers one size in one color scheme, the whole matrix all four combinations.
    const colors = (['light', 'dark'] as const).filter(
      (color) => color === 'light' || (IS_MATRIX && engine === 'chromium'),
    );
    it.each(colors)(
      'has no axe violation in %s, and its button is on screen',
      { tags: ['thorough'] },
      async (colorScheme) => {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await visit();
        await open();
        await pressIn(frame, 'Large');
        expect(await axeViolations(page)).toEqual([]);
        const button = (await page.getByRole('button', { name: 'Close' }).boundingBox())!;
        expect(button.x).toBeGreaterThanOrEqual(0);
        expect(button.y).toBeGreaterThanOrEqual(0);
        expect(button.x + button.width).toBeLessThanOrEqual(width);
        expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(44);
        const box = (await page.locator('iframe').boundingBox())!;
        expect(box.y + box.height).toBeLessThanOrEqual(height);
        await pressIn(frame, 'Pay');
        await page.getByRole('button', { name: 'Close' }).click();
        await page.getByText('Your payment is being processed').waitFor();
        expect(await axeViolations(page)).toEqual([]);
      },
    );
  });
});

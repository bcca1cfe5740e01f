import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations, firstOf, MATRIX_ENGINES, pressIn } from '../harness/index.js';
import { eachPage, startStage, type Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

describe.each(MATRIX_ENGINES)('inline in %s', (engine) => {
  let page: Page;

  eachPage(engine, (next) => (page = next));
  beforeEach(() => page.goto(stage.merchant.url));

  const once = it.runIf(engine === MATRIX_ENGINES[0]);

  const start = async (container: string): Promise<void> => {
    await page.evaluate(
      ([url, id]) => {
        const { Service, outcome } = globalThis as unknown as {
          Service: { startFlow(url: string, options: object): Promise<unknown> };
          outcome: (promise: Promise<unknown>) => unknown;
        };
        const flow = Service.startFlow(url!, { container: document.getElementById(id!) });
        Object.assign(globalThis, { [`flow_${id}`]: flow, [`result_${id}`]: outcome(flow) });
      },
      [stage.sessionUrl(), container],
    );
    await page.frameLocator(`#${container} [data-state=ready] > iframe`).getByLabel('Card number').waitFor();
  };
  const result = (container: string): Promise<unknown> =>
    page.evaluate((id) => (globalThis as unknown as Record<string, unknown>)[`result_${id}`], container);
  const say = (container: string, name: string): Promise<void> =>
    pressIn(page.frameLocator(`#${container} iframe`), name);
  const heightOf = (container: string): Promise<string> =>
    page.locator(`#${container} iframe`).evaluate((frame) => getComputedStyle(frame).height);

  it(
    'R-1 fills its container and follows the height of its content in whole pixels',
    { tags: ['thorough'] },
    async () => {
      // Next to a scrollbar, the container isn't as wide as the window, so the frame is wider by the outlines of its fields.
      await page.addStyleTag({ content: 'html { scrollbar-width: none }' });
      await start('inline');
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
      const [frame, container] = await Promise.all(
        ['#inline iframe', '#inline'].map((selector) => page.locator(selector).boundingBox()),
      );
      expect(frame!.width).toBe(container!.width);
      await expect.poll(() => heightOf('inline')).toMatch(/^\d+px$/);
      await say('inline', 'Medium');
      await expect.poll(() => heightOf('inline')).toBe('701px');
      await say('inline', 'Small');
      await expect.poll(() => heightOf('inline')).toBe('120px');
      await say('inline', 'Large');
      await expect.poll(() => heightOf('inline')).toBe('4000px');
      expect(await page.locator('#inline iframe').getAttribute('title')).toBe('Your account');
      expect(await page.locator('dialog').count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  it('settles with the verdict, stays on the page, and closes on Done', async () => {
    await start('inline');
    await say('inline', 'Succeed');
    expect(await result('inline')).toMatchObject({ result: { status: 'completed', sessionId: 'stg_plain' } });
    expect(await page.locator('#inline iframe').count()).toBe(1);
    await say('inline', 'Done');
    await expect.poll(() => page.locator('#inline iframe').count()).toBe(0);
  });

  it('stays open on Escape', { tags: ['thorough'] }, async () => {
    await start('inline');
    await page.frameLocator('#inline iframe').getByLabel('Card number').press('Escape');
    await say('inline', 'Medium');
    await expect.poll(() => heightOf('inline')).toBe('701px');
    await say('inline', 'Cancel');
    expect(await result('inline')).toEqual({ result: { status: 'canceled', by: 'payer' } });
  });

  once('opens one flow per container, beside each other', { tags: ['thorough'] }, async () => {
    await start('inline');
    await start('second');
    const again = await page.evaluate((url) => {
      const { Service, outcome } = globalThis as unknown as {
        Service: { startFlow(url: string, options: object): Promise<unknown> };
        outcome: (promise: Promise<unknown>) => unknown;
      };
      return outcome(Service.startFlow(url, { container: document.getElementById('inline') }));
    }, stage.sessionUrl());
    expect(again).toMatchObject({ code: 'flow_in_progress' });
    await say('second', 'Succeed');
    expect(await result('second')).toMatchObject({ result: { status: 'completed' } });
    await page.evaluate(() => document.getElementById('inline')!.replaceChildren());
    expect(await result('inline')).toEqual({ result: { status: 'unknown' } });
    await start('inline');
  });

  it.each(firstOf(1, ['Succeed', 'Break']))(
    'is replaced by the next flow after %s',
    { tags: ['thorough'] },
    async (end) => {
      await start('inline');
      await say('inline', end);
      await result('inline');
      await start('inline');
      expect(await page.locator('#inline iframe').count()).toBe(1);
      await say('inline', 'Succeed');
      expect(await result('inline')).toMatchObject({ result: { status: 'completed' } });
    },
  );

  it('shows its session again after it is moved within the page', { tags: ['thorough'] }, async () => {
    await start('inline');
    await page.evaluate(() => document.querySelector('main')!.prepend(document.getElementById('inline')!));
    await page.frameLocator('#inline iframe').getByLabel('Card number').waitFor();
    await say('inline', 'Succeed');
    expect(await result('inline')).toMatchObject({ result: { status: 'completed' } });
  });

  it('resolves with unknown if removed from a shadow root', async () => {
    await page.evaluate(() => {
      const root = document.getElementById('second')!.attachShadow({ mode: 'open' });
      root.append(Object.assign(document.createElement('div'), { id: 'shaded' }));
    });
    const taken = page.evaluate(async (url) => {
      const { Service, outcome } = globalThis as unknown as {
        Service: { startFlow(url: string, options: object): Promise<unknown> };
        outcome: (promise: Promise<unknown>) => unknown;
      };
      const container = document.getElementById('second')!.shadowRoot!.getElementById('shaded')!;
      const result = outcome(Service.startFlow(url, { container }));
      container.remove();
      return result;
    }, stage.sessionUrl());
    expect(await taken).toEqual({ result: { status: 'unknown' } });
  });

  once('taken out with a shadow root within a shadow root: unknown', async () => {
    const taken = page.evaluate(async (url) => {
      const { Service, outcome } = globalThis as unknown as {
        Service: { startFlow(url: string, options: object): Promise<unknown> };
        outcome: (promise: Promise<unknown>) => unknown;
      };
      const [inner, container] = [document.createElement('div'), document.createElement('div')];
      document.getElementById('second')!.attachShadow({ mode: 'open' }).append(inner);
      inner.attachShadow({ mode: 'open' }).append(container);
      const result = outcome(Service.startFlow(url, { container }));
      inner.remove();
      return result;
    }, stage.sessionUrl());
    expect(await taken).toEqual({ result: { status: 'unknown' } });
  });

  once.each(['of nowhere', 'of another document'])(
    'refuses a container %s, and leaves nothing there',
    async (of) => {
      const refused = await page.evaluate(
        async ([url, of]) => {
          const { Service, outcome } = globalThis as unknown as {
            Service: { startFlow(url: string, options: object): Promise<unknown> };
            outcome: (promise: Promise<unknown>) => unknown;
          };
          const container = document.createElement('div');
          if (of === 'of another document') {
            const otherFrame = document.createElement('iframe');
            document.body.append(otherFrame);
            otherFrame.contentDocument!.body.append(container);
          }
          return [await outcome(Service.startFlow(url!, { container })), container.childElementCount];
        },
        [stage.sessionUrl(), of],
      );
      expect(refused).toMatchObject([
        { code: 'flow_failed', message: 'The container is not in the page.' },
        0,
      ]);
    },
  );

  once('rejects at once when the page cannot go on', async () => {
    await start('inline');
    await say('inline', 'Break');
    expect(await result('inline')).toMatchObject({ code: 'flow_failed', details: { reason: 'page_error' } });
  });
});

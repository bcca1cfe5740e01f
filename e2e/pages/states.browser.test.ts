/** No state of any page violates a rule of axe, default rules and best practice, in light and dark, small and large. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../harness/index.js';
import { startStage, type Stage } from './stage.js';
import { LATER, leave, MANAGEMENT, PAYMENT, type PageState } from './states.js';

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  browser = await launch('chromium');
  stage = await startStage(browser);
});
afterAll(async () => {
  await stage?.stop();
  await browser?.close();
});

async function check(state: PageState): Promise<void> {
  const page = await state.reach(stage);
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [width, scheme, other] of [
    [320, 'light', 'dark'],
    [1280, 'dark', 'light'],
  ] as const) {
    const look = async (colorScheme: 'light' | 'dark', rules?: string[]): Promise<void> => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await violations(page, rules)).map((text) => `${width} ${colorScheme}: ${text}`));
    };
    await page.setViewportSize({ width, height: 800 });
    await look(scheme);
    // Colours are all that the other scheme changes.
    await look(other, ['color-contrast']);
    expect(await sidewaysScroll(page), `${width} px fits without scrolling sideways`).toBe(false);
  }
  expect(found).toEqual([]);
  await leave(stage, page);
}

function violations(page: Page, rules?: string[]): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations, incomplete } = await axe.run(document, {
      resultTypes: ['violations', 'incomplete'],
      ...(rules === undefined ? {} : { runOnly: rules }),
    });
    // Contrast that axe cannot decide on is not a pass.
    const undecided = incomplete.filter(({ id }) => id === 'color-contrast');
    return [...violations, ...undecided].flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.failureSummary ?? ''} ${node.html}`),
    );
  }, rules);
}

function sidewaysScroll(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

describe('axe finds nothing', () => {
  it.each([...PAYMENT, ...MANAGEMENT, ...LATER])('$name', check);
});

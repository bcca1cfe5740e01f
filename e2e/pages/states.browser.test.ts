/** No state of any page violates a rule of axe, default rules and best practice, in light and dark, small and large. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../harness/index.js';
import { startStage, type Stage } from './stage.js';
import { leave, STATES, type PageState } from './states/index.js';

let browser: Browser;
let stage: Stage;

/** Less than half of what `axe.source` is, which is sent to every page that is opened. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

beforeAll(async () => {
  browser = await launch('chromium');
  stage = await startStage(browser);
  await stage.page.addInitScript(AXE);
});
afterAll(async () => {
  await stage?.stop();
  await browser?.close();
});

/** In this order each step changes one thing. */
const LOOKS = [
  [320, 'light'],
  [320, 'dark'],
  [1280, 'dark'],
  [1280, 'light'],
] as const;

async function check(state: PageState): Promise<void> {
  const page = await state.reach(stage);
  if (page !== stage.page) await page.evaluate(AXE);
  const found: string[] = [];
  for (const [width, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await problems(page)).map((text) => `${width} ${colorScheme}: ${text}`));
  }
  expect(found).toEqual([]);
  await leave(stage, page);
}

/** Every rule that axe has on by default, and that nothing has to be scrolled sideways. */
function problems(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations, incomplete } = await axe.run(document, {
      resultTypes: ['violations', 'incomplete'],
      // Spares the style sheets that an experimental rule would read, and the selectors that nobody reads.
      preload: false,
      selectors: false,
    });
    // Contrast that axe cannot decide on is not a pass.
    const undecided = incomplete.filter(({ id }) => id === 'color-contrast');
    const found = [...violations, ...undecided].flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.failureSummary ?? ''} ${node.html}`),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `${scrollWidth} px wide`] : found;
  });
}

describe('axe finds nothing', () => {
  it.each(STATES)('$name', check);
});

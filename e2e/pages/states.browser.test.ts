/**
 * Checks that no state of any page violates an axe rule (default or best practice), in light or dark, small or large, and
 * that no state cuts off longer or right-to-left text.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accented, mirrored } from '../../packages/hosted/src/pages/kit/text/pseudo.js';
import { AXE, IS_MATRIX, launch, DISPLAYS, undefinedVariables, openTab } from '../harness/index.js';
import { startStage, type Stage } from './stage.js';
import { leave, STATES, type PageState } from './states/index.js';
import { describeCriteria, faint, EXAMINED } from './wcag.js';

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  browser = await launch('chromium');
  stage = await startStage(browser);
  await stage.page.addInitScript(AXE);
});
afterAll(async () => {
  await stage?.stop();
  await browser?.close();
});

/** Tall enough that sticky elements cover nothing, because axe can't check the contrast of covered elements. */
const TALL = 8_000;

/** The test command checks each state in one combination, in turn. */
const appearanceOf = (state: PageState) =>
  DISPLAYS.filter((_, place) => IS_MATRIX || place === STATES.indexOf(state) % DISPLAYS.length);

const LANGUAGES = [
  ['en-XA', 'ltr', accented],
  ['ar-XB', 'rtl', mirrored],
] as const;

/** The test command alternates between them. */
const languagesOf = (state: PageState) =>
  LANGUAGES.filter(
    (_, place) => IS_MATRIX || place === Math.floor(STATES.indexOf(state) / DISPLAYS.length) % 2,
  );

async function check(state: PageState, page: Page): Promise<void> {
  if (page !== stage.page) await page.evaluate(AXE);
  const found: string[] = [...(await undefinedVariables(page)), ...(await competing(page))];
  for (const [width, scheme] of appearanceOf(state)) {
    const colorScheme = state.scheme ?? scheme;
    await page.setViewportSize({ width, height: TALL });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await problems(page)).map((text) => `${width} ${colorScheme}: ${text}`));
  }
  await page.setViewportSize({ width: 320, height: 800 });
  for (const [language, direction, how] of languagesOf(state)) {
    await replaceText(page, direction, how);
    found.push(...(await cutOff(page)).map((text) => `${language}: ${text}`));
  }
  expect(found).toEqual([]);
}

/** Filled buttons that stand together, or that draw the eye from an open question. */
async function competing(page: Page): Promise<string[]> {
  const filled = await page.locator('.button.primary:visible').allInnerTexts();
  const isAsked = await page.locator('.confirm:visible').count();
  return filled.length + isAsked > 1 ? [`filled: ${filled.join(', ')}`] : [];
}

/** Replaces the page's texts with a test language in place, to keep typed text and progress. */
async function replaceText(
  page: Page,
  direction: 'ltr' | 'rtl',
  how: (text: string) => string,
): Promise<void> {
  const texts = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const nodes: Text[] = [];
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      // A `<bdi>` holds text from the session, and an `<svg>` the letters of a brand, which have no translation.
      if (node.data.trim() !== '' && node.parentElement?.closest('bdi, svg, script, style') === null)
        nodes.push(node);
    }
    const page = globalThis as unknown as { texts: { node: Text; text: string }[] };
    page.texts ??= nodes.map((node) => ({ node, text: node.data }));
    return page.texts.map(({ text }) => text);
  });
  await page.evaluate(
    ([texts, dir]) => {
      document.documentElement.dir = dir;
      const page = globalThis as unknown as { texts: { node: Text }[] };
      page.texts.forEach(({ node }, at) => (node.data = texts[at] ?? ''));
    },
    [texts.map(how), direction] as const,
  );
}

/** Text outside the page or cut off by an edge. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const cut: string[] = [];
    const range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      const parent = node.parentElement;
      // A range ignores `textLength` of letters in an `<svg>`.
      if (
        node.data.trim() === '' ||
        parent === null ||
        parent.closest('.visually-hidden, .summary h1, svg') !== null
      )
        continue;
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width === 0) continue;
      let hidden = box.left < -1 || box.right > innerWidth + 1;
      for (let up: Element | null = parent; up !== null && up !== document.body; up = up.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(up);
        const edge = up.getBoundingClientRect();
        if (/hidden|clip/.test(overflowX) && (box.left < edge.left - 1 || box.right > edge.right + 1))
          hidden = true;
        if (/hidden|clip/.test(overflowY) && (box.top < edge.top - 1 || box.bottom > edge.bottom + 1))
          hidden = true;
      }
      if (hidden) cut.push(`${node.data} (${parent.tagName} ${parent.className})`);
    }
    return cut;
  });
}

/** Axe's default rules, target size, and no horizontal scrolling. */
function problems(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations, incomplete } = await axe.run(document, {
      resultTypes: ['violations', 'incomplete'],
      // WCAG 2.5.8, which axe disables by default.
      rules: { 'target-size': { enabled: true } },
      // Skips loading style sheets for an experimental rule, and selectors that we don't use.
      preload: false,
      selectors: false,
    });
    // What an open menu covers is checked without it.
    const menu = document.querySelector('.menu');
    const isCovered = (
      id: string,
      { html, failureSummary = '' }: { html: string; failureSummary?: string },
    ) =>
      menu !== null &&
      !menu.outerHTML.includes(html) &&
      (id === 'target-size' || failureSummary.includes('overlapped by another element'));
    // Contrast that axe can't decide on is not a pass.
    // Axe can't judge text in an SVG. WCAG exempts logotypes.
    const undecided = incomplete.flatMap((each) => {
      const nodes = each.nodes.filter(({ html }) => !html.startsWith('<text'));
      return each.id === 'color-contrast' ? [{ ...each, nodes }] : [];
    });
    const found = [...violations, ...undecided].flatMap(({ id, nodes }) =>
      nodes.flatMap((node) =>
        isCovered(id, node) ? [] : [`${id}: ${node.failureSummary ?? ''} ${node.html}`],
      ),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `${scrollWidth} px wide`] : found;
  });
}

/** The test command checks only these states, which have most kinds of components. */
const QUICK_STATES: ReadonlySet<string> = new Set([
  'payment-problems',
  'payment-returning',
  'payment-complete',
  'autopay',
  'wallet',
  'schedule-payment',
  'notifications',
  'message-receipt',
]);

for (const state of STATES)
  describe(state.name, { tags: QUICK_STATES.has(state.name) ? [] : ['thorough'] }, () => {
    let page: Page;
    beforeAll(async () => {
      page = await state.reach(stage);
    });
    afterAll(() => leave(stage, page));

    if (EXAMINED.has(state.name)) describeCriteria(() => page);

    it('R-70 has no axe violation and no cut-off text', () => check(state, page));
  });

it('1.4.11 detects insufficient contrast', async () => {
  const page = await openTab(browser);
  await page.setContent(
    '<style>.control{border:1px solid #ddd}button{border:0}button:focus{outline:none}</style><main id="page"><div class="control">A</div><button>B</button></main>',
  );
  expect(await faint(page)).toEqual([expect.stringMatching(/^edge 1\.\d+: DIV/), 'no ring: BUTTON.']);
  await page.close();
});

it('R-70 finds content that is cut off', async () => {
  const page = await openTab(browser);
  await page.setContent(
    '<p style="overflow:hidden;width:40px;white-space:nowrap">Words cut off</p><p>Words</p><p style="margin-left:-40px">Outside</p>',
  );
  expect(await cutOff(page)).toEqual(['Words cut off (P )', 'Outside (P )']);
  await page.close();
});

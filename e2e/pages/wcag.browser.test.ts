/** What WCAG 2.2 asks for and axe does not look at: larger text, wider spacing, a turned screen, a focus that is seen. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../harness/index.js';
import { startStage, type Stage } from './stage.js';
import { leave, STATES } from './states/index.js';

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

/** Where a payer reads, types, chooses, and is told what is wrong. */
const LOOKED_AT = [
  'payment',
  'payment-problems',
  'payment-accounts',
  'autopay',
  'wallet',
  'notifications',
  'schedule-payment',
];
const states = STATES.filter(({ name }) => LOOKED_AT.includes(name));

/** Texts that are cut off, and whether the page has to be scrolled sideways. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll<HTMLElement>('#page *')].filter((element) => {
      const { overflowX, overflowY } = getComputedStyle(element);
      if (element.clientWidth <= 1 || element.clientHeight <= 1) return false; // for screen readers alone
      const isWide =
        element.scrollWidth > element.clientWidth + 1 && overflowX !== 'visible' && overflowX !== 'auto';
      const isHigh =
        element.scrollHeight > element.clientHeight + 1 && overflowY !== 'visible' && overflowY !== 'auto';
      return (isWide || isHigh) && !(element instanceof HTMLInputElement);
    });
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...found.map(
        ({ tagName, className, innerText }) => `${tagName}.${className}: ${innerText.slice(0, 60)}`,
      ),
      ...(scrollWidth > clientWidth ? [`${scrollWidth} px of ${clientWidth}`] : []),
    ];
  });

/** As a payer's own style sheet: the page's policy knows nothing of it. */
const restyle = (page: Page, css: string): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);

describe.each(states)('$name', (state) => {
  it('1.3.4 1.4.4 1.4.10 1.4.12 nothing is cut off: turned, at twice the size, spaced out', async () => {
    const page = await state.reach(stage);
    await page.setViewportSize({ width: 568, height: 320 });
    expect(await cutOff(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 568 });
    expect(await cutOff(page)).toEqual([]);

    await restyle(
      page,
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }',
    );
    expect(await cutOff(page)).toEqual([]);
    await page.setViewportSize({ width: 640, height: 800 });
    await restyle(page, 'html { font-size: 200% !important }');
    expect(await cutOff(page)).toEqual([]);
    await leave(stage, page);
  });

  it('2.1.2 2.4.7 2.4.11 the focus goes round, is seen, and is under nothing', async () => {
    const page = await state.reach(stage);
    await page.setViewportSize({ width: 320, height: 568 });
    const seen = new Set<string>();
    for (let pressed = 0; pressed < 60; pressed++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        if (element === null || element === document.body) return null;
        // Its own mark, or that of what it stands in.
        const around = [
          element,
          ...['label', '.choice', '.control'].map((name) => element.closest(name)),
        ].filter((candidate) => candidate !== null);
        const isMarked = around.some((candidate) => {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(candidate);
          return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
        });
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        const isOnTop = around.some((candidate) => candidate.contains(hit) || hit?.contains(candidate));
        return { name: element.outerHTML.slice(0, 120), isMarked, isOnTop };
      });
      if (focus === null || seen.has(focus.name)) break;
      expect(focus).toEqual({ name: focus.name, isMarked: true, isOnTop: true });
      seen.add(focus.name);
    }
    expect(seen.size).toBeGreaterThan(1);
    await leave(stage, page);
  });
});

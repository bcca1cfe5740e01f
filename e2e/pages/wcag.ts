/** Tests WCAG 2.2 criteria that axe doesn't check: larger text, wider spacing, rotated screens, visible focus. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';

/** States in which a payer reads, types, chooses or sees errors. */
export const EXAMINED: ReadonlySet<string> = new Set([
  'payment',
  'payment-problems',
  'payment-accounts',
  'autopay',
  'wallet',
  'notifications',
  'schedule-payment',
]);

/** Reports texts that are cut off, and horizontal scrolling. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll<HTMLElement>('#page *')].filter((element) => {
      const { overflowX, overflowY } = getComputedStyle(element);
      if (element.clientWidth <= 1 || element.clientHeight <= 1) return false; // for screen readers only
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

/** Adds a user style sheet, which the page's policy doesn't restrict. */
const restyle = (page: Page, css: string): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);

/** Borders of fields and buttons, and focus rings, with a contrast below 3:1 to their surroundings. */
export const faint = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (context === null) throw new Error('A canvas tells what a colour is.');
    const over = (below: string, color: string): string => {
      for (const each of [below, color]) {
        context.fillStyle = each;
        context.fillRect(0, 0, 1, 1);
      }
      const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
      return `rgb(${red} ${green} ${blue})`;
    };
    const groundOf = (element: Element | null): string =>
      element === null
        ? 'Canvas'
        : over(groundOf(element.parentElement), getComputedStyle(element).backgroundColor);
    const lightOf = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((part) => {
        const share = Number(part) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ratio = (a: string, b: string): number => {
      const [low = 0, high = 0] = [lightOf(a), lightOf(b)].sort((one, other) => one - other);
      return (high + 0.05) / (low + 0.05);
    };
    const found: string[] = [];
    const report = (element: Element, what: string, value: number): void => {
      if (value < 3) found.push(`${what} ${value.toFixed(2)}: ${element.tagName}.${element.className}`);
    };
    for (const element of document.querySelectorAll(
      '.control, .button.secondary, .button.danger, .chips > .button',
    )) {
      if (element.getClientRects().length === 0) continue;
      const ground = groundOf(element.parentElement);
      report(element, 'edge', ratio(over(ground, getComputedStyle(element).borderBlockEndColor), ground));
    }
    for (const element of document.querySelectorAll<HTMLElement>('#page :is(input, button, a, summary)')) {
      if (element.getClientRects().length === 0) continue;
      element.focus({ focusVisible: true });
      const ring = [element, element.closest('.control, .choice')].find(
        (each) => each !== null && getComputedStyle(each).outlineStyle === 'solid',
      );
      if (document.activeElement !== element) continue;
      if (ring === undefined || ring === null) found.push(`no ring: ${element.tagName}.${element.className}`);
      else {
        const ground = groundOf(ring.parentElement);
        report(element, 'ring', ratio(over(ground, getComputedStyle(ring).outlineColor), ground));
      }
    }
    return found;
  });

/** Declares the tests of a state, whose page an earlier hook opens. */
export function describeCriteria(pageOf: () => Page): void {
  let page: Page;
  beforeAll(async () => {
    page = pageOf();
    // Disables transitions, during which colors are in between.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.evaluate(() => Object.assign(globalThis, { own: [...document.adoptedStyleSheets] }));
  });
  // Restores the initial state except for what was typed and chosen.
  beforeEach(async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate(() => {
      document.adoptedStyleSheets = (globalThis as unknown as { own: CSSStyleSheet[] }).own;
      // Makes the Tab key start at the top again.
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute('tabindex');
    });
  });

  it.each(['light', 'dark'] as const)(
    '1.4.11 borders and focus rings have enough contrast, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      expect(await faint(page)).toEqual([]);
    },
  );

  it('1.4.10 at 400 % nothing is cut off and the next step is reachable', async () => {
    await page.setViewportSize({ width: 320, height: 256 });
    expect(await cutOff(page)).toEqual([]);
    const last = page.locator('#page button').last();
    await last.scrollIntoViewIfNeeded();
    const box = await last.boundingBox();
    expect(box && box.y >= 0 && box.y + box.height <= 256).toBe(true);
  });

  it('1.3.4 1.4.4 1.4.10 1.4.12 nothing is cut off when rotated, at 200 % or with text spacing', async () => {
    await page.setViewportSize({ width: 568, height: 320 });
    expect(await cutOff(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 568 });
    expect(await cutOff(page)).toEqual([]);

    await restyle(
      page,
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }',
    );
    expect(await cutOff(page)).toEqual([]);
    await restyle(page, 'html { font-size: 200% !important }');
    for (const width of [320, 640]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await cutOff(page)).toEqual([]);
    }
  });

  it('2.1.2 2.4.7 2.4.11 the focus moves through the page, visible and uncovered', async () => {
    await page.setViewportSize({ width: 320, height: 568 });
    const seen = new Set<string>();
    for (let pressed = 0; pressed < 60; pressed++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        if (element === null || element === document.body) return null;
        // The element's own outline, or that of its container.
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
  });
}

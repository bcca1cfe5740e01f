/** Checks every state of every page with IBM's accessibility engine, as a second opinion to axe. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { fileOf } from './installed.js';
import { forEachState } from './each-state.js';

const ENGINE = readFileSync(fileOf('accessibility-checker-engine/ace.js'), 'utf8');
const DISPLAYS = [
  [320, 'light'],
  [1280, 'dark'],
] as const;

interface Report {
  results: { ruleId: string; value: [string, string]; message: string; snippet: string }[];
}

/** Failed WCAG 2.2 AA rules. Results that need human judgment are reported separately. */
const failures = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { ace } = globalThis as unknown as {
      ace: { Checker: new () => { check(node: Document, guidelines: string[]): Promise<Report> } };
    };
    const report = await new ace.Checker().check(document, ['WCAG_2_2']);
    return report.results
      .filter(({ value: [kind, result] }) => kind === 'VIOLATION' && result === 'FAIL')
      .map(({ ruleId, message, snippet }) => `${ruleId}: ${message} ${snippet}`);
  });

it('R-70 IBM finds no violation of WCAG 2.2 AA', async () => {
  const found: string[] = [];
  await forEachState(async (page, name) => {
    await page.evaluate(ENGINE);
    for (const [width, colorScheme] of DISPLAYS) {
      await page.setViewportSize({ width, height: 8_000 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await failures(page)).map((text) => `${name}, ${width} ${colorScheme}: ${text}`));
    }
  });
  expect(found).toEqual([]);
});

/** Opens every state of every hosted page in a browser, for tools that check one page at a time. */
import type { Browser, Page } from 'playwright-core';
import { launch } from '../harness/index.js';
import { startStage } from '../pages/stage.js';
import { leave, STATES } from '../pages/states/index.js';

export async function forEachState(check: (page: Page, name: string) => Promise<void>): Promise<number> {
  const browser: Browser = await launch('chromium');
  const stage = await startStage(browser);
  try {
    for (const state of STATES) {
      const page = await state.reach(stage);
      await check(page, state.name);
      await leave(stage, page);
    }
    return STATES.length;
  } finally {
    await stage.stop();
    await browser.close();
  }
}

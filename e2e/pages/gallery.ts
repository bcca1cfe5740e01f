/** Writes docs/flows.md: a picture of each page, small and large, in both color schemes if they matter. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { launch } from '../harness/index.js';
import { startStage } from './stage.js';
import { leave, STATES, type PageState } from './states/index.js';

const DOCS = new URL('../../docs/', import.meta.url).pathname;
const FOLDER = 'screenshots/flows';
const SIZES = [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
];
const BOTH_SCHEMES = new Set([
  'payment',
  'payment-accounts',
  'payment-complete',
  'wallet',
  'message-receipt',
]);

const HEAD = `# Every page in pictures

<!-- Written by \`npx -y pnpm@12 gallery\`; do not edit by hand. -->

Every page of the payment form and the account flows, at 320 px and 1,280 px.

Pages follow the light or dark scheme and the language of the merchant's page, or else of the payer's system and browser.
In a frame they are as high as their content.
`;

async function shoot(page: Page, name: string, scheme: 'light' | 'dark'): Promise<string[]> {
  const files: string[] = [];
  const session = await page.context().newCDPSession(page);
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    const natural = await session.send('Page.getLayoutMetrics');
    // Set the window to the height of the content, so sticky elements are in their final place and cover nothing.
    const height = Math.max(size.height, Math.ceil(natural.cssContentSize.height));
    await page.setViewportSize({ width: size.width, height });
    await page.evaluate(() => scrollTo(0, 0));
    // Nothing is hovered.
    await page.mouse.move(0, 0);
    const { cssContentSize } = await session.send('Page.getLayoutMetrics');
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality: 70,
      captureBeyondViewport: true,
      clip: { x: 0, y: 0, width: size.width, height: Math.ceil(cssContentSize.height), scale: 1 },
    });
    const file = `${FOLDER}/${name}-${size.width}${scheme === 'dark' ? '-dark' : ''}.webp`;
    writeFileSync(`${DOCS}${file}`, Buffer.from(data, 'base64'));
    files.push(file);
  }
  return files;
}

function section(title: string, pictures: readonly string[]): string {
  const rows = [];
  for (let at = 0; at < pictures.length; at += 2) {
    const [small = '', large = ''] = pictures.slice(at, at + 2);
    rows.push(
      `<img src="${small}" width="160" alt="At 320 px"> <img src="${large}" width="448" alt="At 1,280 px">`,
    );
  }
  return `## ${title}\n\n${rows.join('\n\n')}\n`;
}

rmSync(`${DOCS}${FOLDER}`, { recursive: true, force: true });
mkdirSync(`${DOCS}${FOLDER}`, { recursive: true });
const browser = await launch('chromium');
const stage = await startStage(browser);
try {
  const shown = STATES.filter(
    (state): state is PageState & { gallery: string } => state.gallery !== undefined,
  );
  const sections: string[] = [];
  for (const state of shown) {
    const page = await state.reach(stage);
    const pictures = await shoot(page, state.name, 'light');
    if (BOTH_SCHEMES.has(state.name)) pictures.push(...(await shoot(page, state.name, 'dark')));
    sections.push(section(state.gallery, pictures));
    await leave(stage, page);
  }
  writeFileSync(`${DOCS}flows.md`, `${HEAD}\n${sections.join('\n')}`);
  console.log(`docs/flows.md: ${shown.length} pages`);
} finally {
  await stage.stop();
  await browser.close();
}

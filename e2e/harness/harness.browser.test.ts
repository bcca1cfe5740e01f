import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { By } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasPostgres,
  hasWebKit,
  IS_MATRIX,
  launch,
  launchWebKit,
  MATRIX_ENGINES,
  startOrigin,
  startPostgres,
  type Origin,
} from './index.js';

let inner: Origin;
let outer: Origin;

beforeAll(async () => {
  inner = await startOrigin({
    host: 'localhost',
    routes: { '/': `<button onclick="this.textContent = 'pressed'">press</button>` },
  });
  outer = await startOrigin({ routes: { '/': `<iframe src="${inner.url}/" title="inner"></iframe>` } });
});
afterAll(() => Promise.all([inner.stop(), outer.stop()]));

// payment.browser.test.ts pays like this in other engines.
describe.each(MATRIX_ENGINES)('%s', (engine) => {
  it('clicks inside a cross-site frame', async () => {
    const browser = await launch(engine);
    try {
      const page = await browser.newPage();
      await page.goto(outer.url);
      const button = page.frameLocator('iframe').getByRole('button');
      await button.click();
      expect(await button.textContent()).toBe('pressed');
    } finally {
      await browser.close();
    }
  });
});

it.runIf(hasWebKit && IS_MATRIX)('WebKitGTK clicks inside a cross-site frame', async () => {
  const webkit = await launchWebKit();
  try {
    await webkit.driver.get(outer.url);
    await webkit.driver.switchTo().frame(await webkit.driver.findElement(By.css('iframe')));
    const button = await webkit.driver.findElement(By.css('button'));
    await button.click();
    expect(await button.getText()).toBe('pressed');
  } finally {
    await webkit.close();
  }
});

it.runIf(hasPostgres)('PostgreSQL gives each test its own database', { tags: ['thorough'] }, async () => {
  const postgres = await startPostgres();
  try {
    const [one, two] = [await postgres.database(), await postgres.database()];
    expect(new URL(one).pathname).not.toBe(new URL(two).pathname);
  } finally {
    await postgres.stop();
  }
});

it.each([
  ['SIGTERM, as sent by Vitest', 'SIGTERM'],
  ['SIGINT', 'SIGINT'],
  ['SIGHUP', 'SIGHUP'],
  ['itself', null],
] as const)('cleans up when ended by %s', async (_, signal) => {
  const [left, kept] = ['left', 'kept'].map((name) =>
    mkdtempSync(join(tmpdir(), `embedded-sessions-at-end-${name}-`)),
  ) as [string, string];
  try {
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { rmSync } from 'node:fs';
         import { atEnd } from ${JSON.stringify(new URL('../../tools/at-end.mjs', import.meta.url).href)};
         atEnd(() => rmSync(${JSON.stringify(left)}, { recursive: true }));
         atEnd(() => rmSync(${JSON.stringify(kept)}, { recursive: true }))();
         console.log('ready');
         ${signal === null ? '' : 'setInterval(() => {}, 1000);'}`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    if (signal !== null) child.kill(signal);
    expect(await ended).toEqual(signal === null ? [0, null] : [null, signal]);
    expect([existsSync(left), existsSync(kept)]).toEqual([false, true]);
  } finally {
    for (const folder of [left, kept]) rmSync(folder, { recursive: true, force: true });
  }
});

// @module-tag thorough
/**
 * Loader and SDK on pages that replace a browser function that they use, one at a time. A payment must be reported, or an
 * error must say what happened, and no frame may be left in which the payer could pay.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IS_MATRIX, launch, startOrigin, type Origin } from '../harness/index.js';
import { namesOf, pathsOf, record, replace, REPLACEMENTS, type Path, type Replacement } from './touched.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../packages/${path}`, import.meta.url), 'utf8');
const LOADER = read('loader/dist/embedded-sessions.iife.js');
const SDK = read('service/dist/app/embedded.loader.js');

/** A page that pays a moment after it is opened, and closes like a payer who presses Done. */
const PAYING = `<!doctype html><title>Session</title><script>
  addEventListener('message', ({ data, source, ports: [port] }) => {
    if (data?.type !== 'embedded-sessions:init' || source !== parent || globalThis.port) return;
    globalThis.port = port;
    const post = (message) => port.postMessage(message);
    let state = 'form';
    port.onmessage = ({ data }) => data.type === 'close' && post({ type: 'state', state, reply: true });
    post({ type: 'ready', lang: 'fr' });
    post({ type: 'state', state: (state = 'processing') });
    fetch('/paid' + location.pathname).then(() => {
      state = 'done';
      post({ type: 'completed', sessionId: 'stg_1', detail: { Status: 'Succeeded', Charges: [{ Amount: 1234 }] } });
      post({ type: 'close-request', reason: 'done' });
    });
  });
</script>`;

/** The test command runs some of them. */
const EVERY = IS_MATRIX ? 1 : 32;
const AT_ONCE = 4;
/** The SDK gives up on a silent frame after 25 s. */
const SETTLED_MS = 40_000;

let browser: Browser;
let context: BrowserContext;
let service: Origin;
let merchant: Origin;
const paid = new Set<string>();

beforeAll(async () => {
  browser = await launch('chromium');
  context = await browser.newContext({ locale: 'fr-FR' });
  service = await startOrigin({ host: 'localhost' });
  merchant = await startOrigin();
  const type = 'text/javascript';
  const config = JSON.stringify({ environment: 'staging', base: service.url });
  const open = { 'access-control-allow-origin': '*' };
  service.routes['/app/embedded.loader.js'] = {
    body: `(()=>{const SERVICE_CONFIG=${config};${SDK}})();`,
    type,
  };
  service.routes['/app/words.js'] = {
    body: 'export default { lang: "fr", dir: "ltr" };',
    type,
    headers: open,
  };
  merchant.routes['/loader.js'] = { body: LOADER, type };
});
afterAll(async () => {
  await browser.close();
  await Promise.all([service.stop(), merchant.stop()]);
});

let count = 0;

/** The address of a page that runs `early` before our scripts and `late` after them, and then opens a payment. */
function merchantPage(early: string, late: string): { address: string; session: string } {
  const session = `/s/stg_${++count}`;
  service.routes[session] = PAYING;
  service.routes[`/paid${session}`] = (_, response) => {
    paid.add(session);
    response.end();
  };
  // The page reports with functions that it saved before replacing anything.
  merchant.routes[`/${count}`] = `<!doctype html><html lang="en"><title>Pay your bill</title>
    <link rel="icon" href="data:,"><p id="status"></p>
    <script>{
      const status = document.querySelector('#status');
      const { apply } = Reflect;
      const { set } = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
      window.report = (text) => apply(set, status, [text]);
    }</script>
    <script>${early}</script>
    <script src="/loader.js" data-environment="staging" data-loader-url="${service.url}/app/embedded.loader.js"></script>
    <script>
      window.start = async () => {
        try {
          const result = await EmbeddedSessions.completePayment('${service.url}${session}#secret');
          report('result ' + result.status);
        } catch (error) {
          report('error ' + error.code + ': ' + error.message);
        }
      };
      ${late ? `EmbeddedSessions.createLoader({ environment: 'staging', loaderUrl: '${service.url}/app/embedded.loader.js' }).load().then(() => { ${late}; start(); });` : 'start();'}
    </script></html>`;
  return { address: `${merchant.url}/${count}`, session };
}

interface Case {
  path: Path;
  replacement: Replacement;
  isLate: boolean;
}

async function outcomeOf(page: Page, { path, replacement, isLate }: Case): Promise<string | undefined> {
  const script = `(${replace.toString()})(${JSON.stringify(path)}, '${replacement}')`;
  const { address, session } = merchantPage(isLate ? '' : script, isLate ? script : '');
  await page.goto(address);

  const status = page.locator('#status');
  const text = await status
    .filter({ hasText: /./ })
    .textContent({ timeout: SETTLED_MS })
    .catch(() => 'nothing');
  const frames = await page.locator('dialog iframe').count();
  const isTrue = text === 'result completed' || text === 'result unknown' || text?.startsWith('error ');
  const isClear = isTrue && frames === 0 && (text !== 'result unknown' || paid.has(session));
  return isClear
    ? undefined
    : `${path.join('.')} ${replacement} ${isLate ? 'late' : 'early'}: ${text}, ${frames} frames`;
}

/** Functions that loader and SDK use during a payment. */
async function usedPaths(): Promise<Path[]> {
  const page = await context.newPage();
  await page.goto(`${merchant.url}/loader.js`);
  const paths = await page.evaluate(pathsOf, namesOf([LOADER, `const SERVICE_CONFIG = {};${SDK}`]));

  const { address } = merchantPage(`(${record.toString()})(${JSON.stringify(paths)})`, '');
  await page.goto(address);
  await page.getByText('result completed').waitFor();
  const used = await page.evaluate(() => (globalThis as unknown as { used: object }).used);
  await page.close();
  return paths.filter((path) => path.join('.') in used);
}

it(
  'R-60 reports a payment or an error whatever the page has replaced, and leaves no payment form',
  async () => {
    const paths = await usedPaths();
    expect(paths.length).toBeGreaterThan(100);
    const cases = paths
      .flatMap((path) =>
        REPLACEMENTS.flatMap((replacement) =>
          [false, true].map((isLate): Case => ({ path, replacement, isLate })),
        ),
      )
      .filter((_, index) => index % EVERY === 0);

    const failures: string[] = [];
    const waiting = cases.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const page = await context.newPage();
        for (const each of waiting) {
          const failure = await outcomeOf(page, each);
          if (failure) failures.push(failure);
        }
      }),
    );
    expect(failures.toSorted()).toEqual([]);
  },
  IS_MATRIX ? 3_600_000 : 240_000,
);

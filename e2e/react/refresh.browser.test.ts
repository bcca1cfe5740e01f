// @module-tag thorough
/** Fast Refresh: a developer edits the component while the form is open, with a real Vite server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  collectErrors,
  fillCard,
  launch,
  pressDone,
  pressPay,
  sessionFrame,
  startService,
  type Service,
} from '../harness/index.js';

const MAIN = `
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedProvider } from '@embedded-sessions/react';
import { Bill } from './bill.jsx';
const { loaderUrl } = await (await fetch('/settings')).json();
const loader = createLoader({ environment: 'staging', loaderUrl });
window.events = [];
createRoot(document.querySelector('main')).render(
  <StrictMode>
    <EmbeddedProvider loader={loader} onEvent={(event) => window.events.push(event)}><Bill /></EmbeddedProvider>
  </StrictMode>,
);
`;
const BILL = `
import { useState } from 'react';
import { EmbeddedFlow, useEmbeddedPayment } from '@embedded-sessions/react';
const session = async () => (await fetch('/session', { method: 'POST' })).json();
export function Bill() {
  const { pay, status } = useEmbeddedPayment({ session });
  return (
    <>
      <h1>Bill 1</h1>
      <button onClick={pay}>Pay the bill</button>
      <output>{status}</output>
      {location.search === '?inline' && <EmbeddedFlow flow="payment" session={session} aria-label="Payment" />}
    </>
  );
}
`;

let browser: Browser;
let service: Service;
let vite: ViteDevServer;
let folder: string;
let url: string;
let sessions = 0;

beforeAll(async () => {
  // Inside e2e, so that packages resolve as in any other test.
  const parent = new URL('../.test/', import.meta.url).pathname;
  mkdirSync(parent, { recursive: true });
  folder = mkdtempSync(join(parent, 'refresh-'));
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><title>Bill</title><link rel="icon" href="data:,"><main></main><script type="module" src="/main.jsx"></script></html>',
  );
  writeFileSync(join(folder, 'main.jsx'), MAIN);
  writeFileSync(join(folder, 'bill.jsx'), BILL);
  vite = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'error',
    cacheDir: join(folder, 'cache'),
    server: { host: '127.0.0.1', port: 0 },
    optimizeDeps: {
      include: [
        'react/jsx-dev-runtime',
        'react-dom/client',
        '@embedded-sessions/loader',
        '@embedded-sessions/react',
      ],
    },
    plugins: [
      react(),
      {
        name: 'merchant-backend',
        configureServer({ middlewares }) {
          middlewares.use('/settings', (_request, response) => {
            response.end(JSON.stringify({ loaderUrl: service.loaderUrl }));
          });
          middlewares.use('/session', (_request, response) => {
            sessions++;
            void service.create('payment').then((session) => response.end(JSON.stringify(session)));
          });
        },
      },
    ],
  });
  await vite.listen();
  url = vite.resolvedUrls!.local[0]!;
  [browser, service] = await Promise.all([
    launch('chromium'),
    startService({ allowedOrigins: [new URL(url).origin] }),
  ]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), vite?.close(), service?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function edit(page: Page, change: (source: string) => string): Promise<void> {
  writeFileSync(join(folder, 'bill.jsx'), change(BILL.replace('Bill 1', 'Bill 2')));
  await page.getByRole('heading', { name: 'Bill 2', includeHidden: true }).waitFor();
}

/** Every edit changes the heading; some also change the hooks, which makes React remount the component. */
it.each([
  ['modal', 'keeps its state', (source: string) => source],
  ['modal', 'is mounted anew', (source: string) => source.replace('return (', 'useState(0); return (')],
  ['inline', 'keeps its state', (source: string) => source],
] as const)(
  'an open %s flow reaches its verdict when its component is edited and %s',
  async (kind, _how, change) => {
    writeFileSync(join(folder, 'bill.jsx'), BILL);
    // Until then Vite serves leftovers of the previous test and refreshes them in this page.
    const served = async () => (await fetch(`${url}bill.jsx`)).text();
    await expect.poll(served).toContain('Bill 1');
    sessions = 0;
    const page = await browser.newPage();
    const errors = collectErrors(page);
    await page.goto(kind === 'inline' ? `${url}?inline` : url);
    if (kind === 'modal') await page.getByRole('button', { name: 'Pay the bill' }).click();
    const form = sessionFrame(page);
    await fillCard(form);
    await edit(page, change);
    expect(await form.getByLabel('Name on card').inputValue()).toBe('Dana Reyes');
    await pressPay(form);
    await form.getByRole('heading', { name: 'Payment complete' }).waitFor();
    if (kind === 'modal') {
      pressDone(form);
    }
    await page.waitForFunction(() => window.events.some(({ type }) => type === 'settled'));
    const settled = await page.evaluate(() => window.events.filter(({ type }) => type === 'settled'));
    expect(settled).toMatchObject([{ result: { status: 'completed' } }]);
    expect(sessions).toBe(1);
    expect(errors).toEqual([]);
    await page.close();
  },
);

// @module-tag thorough
/** The Next.js example, built and started as a merchant would: server components, server actions, hydration. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  BUSINESS_UNIT,
  collectErrors,
  freePort,
  launch,
  leave,
  payByCard,
  pressDone,
  sessionFrame,
  startService,
  type Service,
} from '../harness/index.js';

const APP = new URL('../../examples/next-app/', import.meta.url).pathname;
const NEXT = createRequire(join(APP, 'package.json')).resolve('next/dist/bin/next');
const VARIABLES = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const };

let browser: Browser;
let service: Service;
let app: ChildProcess;
let url: string;

/** A route from docs/start/next.md, unchanged except for the operator's address. */
const DOCS_ROUTE = join(APP, 'app/from-docs');

function writeDocsRoute(): void {
  const text = readFileSync(new URL('../../docs/start/next.md', import.meta.url), 'utf8');
  const [actions, button] = [...text.matchAll(/^```tsx?\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const [handed] = /<PayButton [^`]+\/>/.exec(text) ?? [];
  mkdirSync(DOCS_ROUTE, { recursive: true });
  writeFileSync(join(DOCS_ROUTE, 'actions.ts'), actions!);
  writeFileSync(
    join(DOCS_ROUTE, 'pay-button.tsx'),
    button!.replace('https://staging.pay.example/app/embedded.loader.js', service.loaderUrl),
  );
  writeFileSync(
    join(DOCS_ROUTE, 'page.tsx'),
    `import { createPaymentSession } from './actions';
import { PayButton } from './pay-button';
export default function Page() { return <section className="card">${handed}</section>; }
`,
  );
}

beforeAll(async () => {
  const port = await freePort();
  url = `http://localhost:${port}`;
  [browser, service] = await Promise.all([launch('chromium'), startService({ allowedOrigins: [url] })]);
  writeDocsRoute();
  const built = spawnSync(process.execPath, [NEXT, 'build'], { cwd: APP, env: VARIABLES, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`next build failed:\n${built.stdout}${built.stderr}`);
  const operator = join(service.folder, 'operator.json');
  writeFileSync(
    operator,
    JSON.stringify({
      businessUnit: BUSINESS_UNIT,
      staging: { baseUrl: service.url, loaderUrl: service.loaderUrl },
      production: { baseUrl: 'http://127.0.0.1:9', loaderUrl: 'http://127.0.0.1:9/app/embedded.loader.js' },
    }),
  );
  app = spawn(process.execPath, [NEXT, 'start', '--port', String(port)], {
    cwd: APP,
    env: {
      ...VARIABLES,
      OPERATOR_FILE: operator,
      SERVICE_API_KEY: service.apiKey,
      SERVICE_LOADER_URL: service.loaderUrl,
      SERVICE_BASE_URL: service.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const listen = (text: Buffer): void => {
      output += String(text);
      if (/Ready in/.test(output)) resolve();
    };
    app.stdout!.on('data', listen);
    app.stderr!.on('data', listen);
    app.once('exit', (code) => reject(new Error(`next start ended with ${code}:\n${output}`)));
  });
}, 180_000);

afterAll(async () => {
  app?.kill();
  rmSync(DOCS_ROUTE, { recursive: true, force: true });
  await Promise.all([browser?.close(), service?.stop()]);
});

async function visit(path: string, work: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 320, height: 800 } });
  const errors = collectErrors(page);
  await page.goto(`${url}${path}`);
  await work(page);
  expect(errors).toEqual([]);
  await page.close();
}

// One bill, from first display to payment.
describe('a bill', { shuffle: false }, () => {
  it('is rendered by the server with the labeled region at its height, and without the key', async () => {
    const [bill, inline] = await Promise.all(
      ['/', '/inline'].map(async (path) => (await fetch(`${url}${path}`)).text()),
    );
    expect(inline).toMatch(
      /<div role="region" aria-label="Pay your bill" aria-busy="true" style="min-height:757px">/,
    );
    expect(bill).toContain('Pay <!-- -->$76.30</button>');
    expect(bill! + inline!).not.toContain(service.apiKey);
  });

  it('is paid in an inline form with a session from a server action, which leaves with its route', () =>
    visit('/inline', async (page) => {
      await sessionFrame(page).getByLabel('Card number').waitFor();
      expect(await page.locator('iframe').count()).toBe(1);
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('link', { name: 'Back to the bill' }).click();
      await page.getByRole('button', { name: 'Pay $76.30' }).waitFor();
      expect(await page.locator('iframe').count()).toBe(0);
    }));

  it('can’t be paid twice, because two tabs get the same session', async () => {
    const before = (await service.control.state()).sessions.length;
    for (let tab = 1; tab <= 2; tab++)
      await visit('/', async (page) => {
        await page.getByRole('button', { name: 'Pay $76.30' }).click();
        await sessionFrame(page).getByLabel('Card number').waitFor();
        leave(page.keyboard.press('Escape'));
        await page.getByText('Nothing was charged.').waitFor();
      });
    // The previous test's inline form used it first.
    expect((await service.control.state()).sessions.length).toBe(Math.max(before, 1));
  });

  it('R-52 shows an error in modal and inline pages while the service is down, and continues later', async () => {
    const page = await browser.newPage();
    const errors = collectErrors(page);
    const loading = page.waitForResponse(service.loaderUrl);
    await page.goto(url);
    await (await loading).finished();
    await service.stop();
    await page.getByRole('button', { name: 'Pay $76.30' }).click();
    await page.getByText('The payment could not be opened. Please try again.').waitFor();
    await page.getByRole('link', { name: 'Pay in the page instead' }).click();
    await page.getByText('The form could not be opened.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await service.restart();
    await page.getByRole('button', { name: 'Try again' }).click();
    await sessionFrame(page).getByLabel('Card number').waitFor();
    // Expects the browser's own messages about responses and the reason for a missing session, but no uncaught errors.
    for (const error of errors)
      expect(error).toMatch(
        /^(Failed to load resource|embedded-sessions: EmbeddedPaymentError: Session function failed)/,
      );
    await page.close();
  });

  it('R-1 R-8 is paid with a server action’s session, and rendered as paid by the server', () =>
    visit('/', async (page) => {
      expect(await axeViolations(page)).toEqual([]);
      const { payments: before } = await service.control.state();
      await page.getByRole('button', { name: 'Pay $76.30' }).click();
      await payByCard(sessionFrame(page));
      pressDone(sessionFrame(page));
      await page.getByText('Thank you. Your bill is paid.').waitFor();
      const { payments } = await service.control.state();
      const known = new Set(before.map(({ sessionId }) => sessionId));
      expect(payments.filter(({ sessionId }) => !known.has(sessionId))).toMatchObject([
        { amount: 7630, status: 'succeeded' },
      ]);
      await page.reload();
      await page.getByText('Thank you. Your bill is paid.').waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }));
});

it('R-1 is paid on the page of docs/start/next.md', () =>
  visit('/from-docs', async (page) => {
    await page.getByRole('button', { name: 'Pay' }).click();
    await payByCard(sessionFrame(page));
    pressDone(sessionFrame(page));
    await page.getByText('The page says: completed').waitFor();
  }));

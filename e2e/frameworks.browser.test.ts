/**
 * Apps built with each framework's own tools, served as files, and paid in a modal and inline. Vue, Svelte and Angular use the
 * components of docs/start/frameworks.md as they are. Part of `npx -y pnpm@12 browser`; the first run installs the frameworks.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payWithTestCard } from '@embedded-sessions/loader/playwright';
import {
  collectErrors,
  IS_MATRIX,
  launch,
  startOrigin,
  startService,
  type Origin,
  type Service,
} from './harness/index.js';

const APPS_FOLDER = join(import.meta.dirname, 'frameworks');
const DOCS = readFileSync(join(APPS_FOLDER, '../../docs/start/frameworks.md'), 'utf8');
const OPERATOR = 'https://staging.pay.example/app/embedded.loader.js';
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

interface App {
  /** Folder to run the build in. */
  cwd: string;
  command: readonly [program: string, ...args: string[]];
  /** Output folder of the build. */
  built: string;
  /** Label of the sample in the docs, and the file to write it to. */
  sample?: readonly [label: string, file: string];
  variables?: Record<string, string>;
  modalOnly?: true;
}

const APPS: Record<string, App> = {
  Vue: {
    cwd: '.',
    command: ['vite', 'build', 'vue'],
    built: 'vue/dist',
    sample: ['Vue', 'vue/pay.generated.vue'],
  },
  SvelteKit: {
    cwd: 'svelte',
    command: ['vite', 'build'],
    built: 'svelte/build',
    sample: ['Svelte', 'svelte/src/pay.generated.svelte'],
  },
  'Angular with Zone.js': {
    cwd: 'angular',
    command: ['ng', 'build'],
    built: 'angular/dist',
    sample: ['Angular', 'angular/src/pay.generated.ts'],
    variables: { NG_CLI_ANALYTICS: 'false' },
  },
  Solid: { cwd: '.', command: ['vite', 'build', 'solid'], built: 'solid/dist' },
  Astro: { cwd: '.', command: ['astro', 'build', '--root', 'astro'], built: 'astro/dist' },
  'React Router': {
    cwd: 'react-router',
    command: ['react-router', 'build'],
    built: 'react-router/build/client',
  },
  'webpack 4': {
    cwd: '.',
    command: ['node', 'webpack-4/bundle.cjs'],
    built: 'webpack-4/dist',
    variables: { NODE_OPTIONS: '--openssl-legacy-provider' },
    modalOnly: true,
  },
  'module federation': {
    cwd: '.',
    command: ['node', 'federation/bundle.cjs'],
    built: 'federation/dist',
    modalOnly: true,
  },
};

function run(cwd: string, [program, ...args]: App['command'], variables: Record<string, string> = {}): void {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: join(APPS_FOLDER, cwd),
    env: {
      ...process.env,
      PATH: `${join(APPS_FOLDER, 'node_modules/.bin')}:${PATH}`,
      NODE_ENV: 'production',
      ...variables,
    },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/** Writes the docs' sample unchanged. */
function writeSample(label: string, file: string): void {
  const [, code] = new RegExp(`\`\`\`\\w+ \\[${label}\\]\\n([^]*?)\\n\`\`\``).exec(DOCS) ?? [];
  if (code === undefined) throw new Error(`docs/start/frameworks.md has no sample for ${label}`);
  writeFileSync(join(APPS_FOLDER, file), `${code}\n`);
}

let browser: Browser;
let merchant: Origin;
let service: Service;
/** Folder of the app that `merchant` serves. */
let served = '';

beforeAll(async () => {
  if (!IS_MATRIX) return;
  run('.', ['npx', '-y', 'pnpm@12', 'install', '--frozen-lockfile']);
  merchant = await startOrigin({
    host: 'localhost',
    async fallback(request, response) {
      const { pathname } = new URL(request.url ?? '/', 'http://merchant');
      if (request.method === 'POST') {
        const { sessionUrl } = await service.create('payment', { Charges: [{ Amount: 1234 }] });
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ sessionUrl, environment: 'staging' }));
        return;
      }
      const file = join(APPS_FOLDER, served, pathname === '/' ? 'index.html' : pathname);
      const content = await readFile(file, 'utf8').catch(() => scriptsOnly(pathname));
      response.writeHead(content === null ? 404 : 200, {
        'content-type': TYPES[extname(file)] ?? 'text/plain',
      });
      response.end(content?.replaceAll(OPERATOR, service.loaderUrl));
    },
  });
  [browser, service] = await Promise.all([
    launch('chromium'),
    startService({ allowedOrigins: [merchant.url] }),
  ]);
}, 300_000);
afterAll(() => Promise.all([browser?.close(), merchant?.stop(), service?.stop()]));

/** A page for builds that only produce scripts, with the icon that Chromium requests. */
function scriptsOnly(pathname: string): string | null {
  if (pathname === '/favicon.ico') return '';
  if (pathname !== '/') return null;
  const scripts = served.startsWith('federation') ? ['/remote/entry.js', '/host/main.js'] : ['/main.js'];
  const tags = scripts.map((source) => `<script defer src="${source}"></script>`).join('');
  return `<!doctype html><html lang="en"><title>Bill</title><h1>Bill</h1>${tags}</html>`;
}

async function visit(work: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage();
  const errors = collectErrors(page);
  // Prerendered pages ignore clicks until their scripts have run.
  await page.goto(merchant.url, { waitUntil: 'networkidle' });
  await work(page);
  expect(errors).toEqual([]);
  await page.close();
}

const payInModal = async (page: Page, label = 'Pay in a modal'): Promise<void> => {
  await page.getByRole('button', { name: label }).click();
  expect(await payWithTestCard(page)).toBe('paid');
  await page.getByText('completed').waitFor();
  expect(await page.locator('dialog').count()).toBe(0);
};

describe.runIf(IS_MATRIX).each(Object.entries(APPS))('R-1 an app with %s', (_, app) => {
  beforeAll(() => {
    if (app.sample !== undefined) writeSample(...app.sample);
    run(app.cwd, app.command, app.variables);
  }, 180_000);

  it('pays in a modal', async () => {
    served = app.built;
    await visit((page) => payInModal(page));
  });

  it.skipIf(app.modalOnly)('pays inline', async () => {
    served = app.built;
    await visit(async (page) => {
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      expect(await payWithTestCard(page)).toBe('paid');
      await page.getByText('Thank you', { exact: true }).waitFor();
    });
  });
});

describe.runIf(IS_MATRIX)('R-56 two copies of the loader, by module federation', () => {
  it('pays from the remote', async () => {
    served = APPS['module federation']!.built;
    await visit((page) => payInModal(page, 'Pay from the remote'));
  });

  it('opens one modal at a time', async () => {
    served = APPS['module federation']!.built;
    await visit(async (page) => {
      await page.getByRole('button', { name: 'Pay from both' }).click();
      await page.getByText('flow_in_progress').waitFor();
      expect(await payWithTestCard(page)).toBe('paid');
    });
  });
});

// Follows docs/start/index.md, except for its ports: writes its config, backend and page, starts them and sends requests.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../tools/ports.mjs';
import { ROOT } from './repository.mjs';
import { fences } from './snippets.mjs';

const STARTS_WITHIN_MS = 20_000;

/** Resolves with the program's first output on stdout. */
function started(children, args, options) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${args[0]} did not start. ${output}`)),
      STARTS_WITHIN_MS,
    );
    child.stderr.on('data', (text) => (output += text));
    child.stdout.once('data', (text) => {
      clearTimeout(timer);
      resolve(String(text));
    });
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}. ${output}`)));
  });
}

/** @param {string} page Markdown @returns {Promise<string[]>} problems */
export async function runStartPage(page) {
  const shop = mkdtempSync(join(tmpdir(), 'embedded-sessions-shop-'));
  const children = [];
  try {
    const code = (language) => fences(page).find((fence) => fence.language === language)?.code ?? '';
    const files = { 'service.config.json': 'json', 'shop.mjs': 'js', 'index.html': 'html' };
    for (const [name, language] of Object.entries(files)) writeFileSync(join(shop, name), code(language));
    mkdirSync(join(shop, 'node_modules'));
    symlinkSync(
      join(ROOT, 'docs/node_modules/@embedded-sessions'),
      join(shop, 'node_modules/@embedded-sessions'),
    );
    const [port, servicePort] = await freePorts(2);
    const SERVICE_BASE_URL = `http://127.0.0.1:${servicePort}`;
    const serve = [
      join(ROOT, 'packages/service/dist/cli.js'),
      'serve',
      '--env',
      'staging',
      '--port',
      `${servicePort}`,
    ];
    await started(children, serve, { cwd: shop });
    await started(children, ['shop.mjs'], {
      cwd: shop,
      env: { ...process.env, SERVICE_BASE_URL, PORT: `${port}` },
    });
    const responses = await Promise.all(
      [
        ['POST', '/pay'],
        ['GET', '/'],
        ['GET', '/embedded-sessions.iife.js'],
      ].map(async ([method, path]) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
        return { path, status: response.status, text: await response.text() };
      }),
    );
    const problems = responses
      .filter(({ status }) => status !== 200)
      .map(({ path, status }) => `${path} returned ${status}`);
    if (!responses[0].text.includes(`${SERVICE_BASE_URL}/s/stg_`))
      problems.push(`/pay returned ${responses[0].text}`);
    return problems.map((problem) => `docs/start/index.md: ${problem}`);
  } catch (error) {
    return [`docs/start/index.md: ${error.message}`];
  } finally {
    await Promise.all(
      children.map((child) => {
        if (child.exitCode !== null) return Promise.resolve();
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        return ended;
      }),
    );
    rmSync(shop, { recursive: true, force: true });
  }
}

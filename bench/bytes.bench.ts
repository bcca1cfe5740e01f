/** Size of our code and our peers', compressed with Brotli 11. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { it } from 'vitest';
import { startService } from '../e2e/harness/index.js';
import { LANGUAGES } from '../packages/service/src/shared/languages.js';
import { installedPeers, versionOf } from './peers.js';
import { record } from './results.mjs';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = join(ROOT, 'packages');

interface Esbuild {
  build(options: object): Promise<{ outputFiles: { path: string; contents: Uint8Array }[] }>;
}
const sizeLimit = createRequire(join(ROOT, 'package.json')).resolve('@size-limit/esbuild');
const esbuild = createRequire(sizeLimit)('esbuild') as Esbuild;

const kB = (bytes: number): number => bytes / 1000;
const brotli = (bytes: Uint8Array): number => brotliCompressSync(bytes).length;
const fileSize = (path: string): number => brotli(readFileSync(join(PACKAGES, path)));

/** Size of a minimal program that uses the package, minified, with its style. */
async function bundled(code: string, external: readonly string[] = [], from = ROOT): Promise<number> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: code, resolveDir: from },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    outdir: '/out',
    external,
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.css': 'css', '.svg': 'dataurl', '.png': 'dataurl' },
    logLevel: 'error',
  });
  return outputFiles.reduce((sum, { contents }) => sum + brotli(contents), 0);
}

async function peersOf(programs: Readonly<Record<string, string>>, external: readonly string[] = []) {
  const folder = installedPeers();
  const peers: { name: string; version: string; value: number }[] = [];
  for (const [name, code] of Object.entries(programs)) {
    const value = Number(kB(await bundled(code, external, folder)).toFixed(2));
    peers.push({ name, version: versionOf(name), value });
  }
  return peers;
}

const ours = (name: string): string => `export * from ${JSON.stringify(join(PACKAGES, name))};`;
const REACT = ['react', 'react-dom', 'react/jsx-runtime'];

it('loader', async () => {
  const peers = await peersOf({
    '@stripe/stripe-js': `export { loadStripe } from '@stripe/stripe-js';`,
    '@paypal/paypal-js': `export { loadScript } from '@paypal/paypal-js';`,
    '@hcaptcha/loader': `export { hCaptchaLoader } from '@hcaptcha/loader';`,
    '@googlemaps/js-api-loader': `export * from '@googlemaps/js-api-loader';`,
    '@paddle/paddle-js': `export { initializePaddle } from '@paddle/paddle-js';`,
  });
  record('loader', kB(await bundled(ours('loader/dist/index.js'), ['./undeclared.js'])), { peers });
  record('script', kB(fileSize('loader/dist/embedded-sessions.iife.js')));
});

it('react', async () => {
  const peers = await peersOf(
    {
      '@stripe/react-stripe-js': `export * from '@stripe/react-stripe-js';`,
      '@paypal/react-paypal-js': `export * from '@paypal/react-paypal-js';`,
      'react-plaid-link': `export * from 'react-plaid-link';`,
    },
    REACT,
  );
  const value = await bundled(ours('react/dist/index.js'), [...REACT, '@embedded-sessions/loader']);
  record('react', kB(value), { peers });
});

it('server and SDK', async () => {
  record('server', kB(await bundled(ours('server/dist/index.js'))));
  record('sdk', kB(fileSize('service/dist/app/embedded.loader.js')));
});

/** Size as served, in Brotli. */
function served(url: string, language: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'br', 'accept-language': language };
    request(url, { headers }, (response) => {
      let bytes = 0;
      if (response.statusCode !== 200 || response.headers['content-encoding'] !== 'br')
        reject(new Error(`${url}: ${response.statusCode} ${response.headers['content-encoding']}`));
      response.on('data', (part: Uint8Array) => (bytes += part.length)).on('end', () => resolve(bytes));
    })
      .on('error', reject)
      .end();
  });
}

it('from nothing to a form', async () => {
  const service = await startService();
  const { sessionUrl } = await service.create('payment');
  const html = sessionUrl.replace(/#.*/, '');
  const loader = await bundled(ours('loader/dist/index.js'), ['./undeclared.js']);
  const sizes = new Map<string, number>();
  for (const language of LANGUAGES) {
    const page = await (await fetch(html, { headers: { 'accept-language': language } })).text();
    // Everything that the HTML loads. Modules that it only names load after the form.
    const named = [...page.matchAll(/ (?:src|href)="\.\.(\/assets\/[^"]+)"/g)].map(
      ([, path]) => service.url + path,
    );
    const parts = await Promise.all([service.loaderUrl, html, ...named].map((url) => served(url, language)));
    sizes.set(language, loader + parts.reduce((sum, bytes) => sum + bytes));
  }
  await service.stop();
  const peers = await peersOf({
    '@adyen/adyen-web': `import { AdyenCheckout, Card } from '@adyen/adyen-web'; import '@adyen/adyen-web/styles/adyen.css'; window.form = [AdyenCheckout, Card];`,
    'braintree-web-drop-in': `import dropin from 'braintree-web-drop-in'; window.form = dropin;`,
  });
  const [[language, most] = ['', 0]] = [...sizes].sort(([, one], [, other]) => other - one);
  const note = `${sizes.size} languages, most in ${language}; the peers' field frames not counted`;
  record('form', kB(most), { peers, note });
});

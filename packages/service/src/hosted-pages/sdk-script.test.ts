import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { sdkScript } from './sdk-script.js';

const PATH = '/app/embedded.loader.js';

function built(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-sdk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'embedded.loader.js'), script);
  return folder;
}

it('R-5 serves the script with the environment and the base of its own service', async () => {
  const folder = built('globalThis.received = SERVICE_CONFIG;');
  const app = sdkScript({ env: 'staging', publicUrl: 'https://pay.example/stg/' }, folder);
  const response = await app.request(PATH);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/javascript');
  const context: { received?: unknown; SERVICE_CONFIG?: unknown } = {};
  runInNewContext(await response.text(), context);
  expect(context.received).toEqual({ environment: 'staging', base: 'https://pay.example/stg' });
  expect(context).not.toHaveProperty('SERVICE_CONFIG');
});

it('R-5 serves the script to any page, compressed, with an ETag', async () => {
  const app = sdkScript({ env: 'production', publicUrl: 'https://pay.example' }, built('void 0'));
  const first = await app.request(PATH, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  expect(first.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(first.headers.get('content-encoding')).toBe('br');
  expect(brotliDecompressSync(Buffer.from(await first.arrayBuffer())).toString()).toContain('"production"');
  const plain = await app.request(PATH, { headers: { 'accept-encoding': 'br;q=0, gzip;q=0.0' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  const etag = first.headers.get('etag') ?? '';
  const again = await app.request(PATH, { headers: { 'if-none-match': `"other", W/${etag}` } });
  expect(again.status).toBe(304);
  // Headers that a cache stores with the script.
  for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin'])
    expect(again.headers.get(name), name).toBe(first.headers.get(name));
  expect(await again.text()).toBe('');
});

it('names the command to run if the script was not built', async () => {
  const app = sdkScript({ env: 'staging', publicUrl: 'https://pay.example' }, tmpdir());
  app.onError((error) => new Response(error.message, { status: 500 }));
  expect(await (await app.request(PATH)).text()).toContain('pnpm@12 build');
});

it('R-6 serves no script in development', async () => {
  const app = sdkScript({ env: 'development', publicUrl: 'https://pay.example' }, built('void 0'));
  expect((await app.request(PATH)).status).toBe(404);
});

it('R-70 serves the texts of the first available language', async () => {
  const folder = built('void 0');
  const texts = { en: { close: 'Close' }, ar: { close: 'إغلاق' }, tl: { close: 'Isara' } };
  writeFileSync(join(folder, 'words.json'), JSON.stringify(texts));
  writeFileSync(join(folder, 'later.js'), 'export { watchFraming };');
  const app = sdkScript({ env: 'staging', publicUrl: 'https://pay.example' }, folder);
  const wordsOf = async (query: string): Promise<unknown> => {
    const response = await app.request(`/app/words.js${query}`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    return JSON.parse(
      (await response.text()).replace(/^export default (.*);export \{ watchFraming \};$/, '$1'),
    );
  };

  expect(await wordsOf('?lang=tlh,ar-EG,en')).toEqual({ lang: 'ar', dir: 'rtl', close: 'إغلاق' });
  expect(await wordsOf('?lang=fil')).toEqual({ lang: 'fil', dir: 'ltr', close: 'Isara' });
  for (const query of ['', '?lang=', '?lang=%00', `?lang=${'x,'.repeat(9_999)}ar`])
    expect(await wordsOf(query), query.slice(0, 20)).toEqual({ lang: 'en', dir: 'ltr', close: 'Close' });
});

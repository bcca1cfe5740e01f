/** Runs the built files on a server, without a browser. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const DIST = new URL('../../packages/loader/dist/', import.meta.url).href;

const run = async (code: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return JSON.parse(stdout) as unknown;
};

const TRAPS = `
  import { createRequire } from 'node:module';
  const require = createRequire(${JSON.stringify(DIST)});
  const touched = [];
  for (const name of ['window', 'document', 'navigator', 'location', 'self', 'fetch', 'performance', 'setTimeout', 'addEventListener', 'localStorage']) {
    const value = globalThis[name];
    Object.defineProperty(globalThis, name, { configurable: true, get: () => (touched.push(name), value) });
  }
  const before = Reflect.ownKeys(globalThis).length;
  const report = (more) => process.stdout.write(JSON.stringify({ touched, added: Reflect.ownKeys(globalThis).length - before, ...more }));
`;

describe('on a server', () => {
  it.each(['index.js', 'testing.js'])('importing %s touches no global', async (file) => {
    expect(await run(`${TRAPS} await import(${JSON.stringify(DIST + file)}); report();`)).toEqual({
      touched: [],
      added: 0,
    });
  });

  it.each(['index.cjs', 'testing.cjs'])('requiring %s touches no global', async (file) => {
    expect(
      await run(`${TRAPS} require(new URL(${JSON.stringify(DIST + file)}).pathname); report();`),
    ).toEqual({
      touched: [],
      added: 0,
    });
  });

  it('the script-tag build does nothing without a document', async () => {
    expect(
      await run(`${TRAPS} await import(${JSON.stringify(`${DIST}embedded-sessions.iife.js`)}); report();`),
    ).toEqual({
      touched: ['document'],
      added: 0,
    });
  });

  it('createLoader, preload and environmentOf work, load rejects with not_in_browser, and an unhandled rejection of loadService does not end the process', async () => {
    const result = await run(`
      import { createLoader, environmentOf, loadService } from ${JSON.stringify(`${DIST}index.js`)};
      const options = { environment: 'staging', loaderUrl: 'https://pay.test/app/embedded.loader.js' };
      loadService(options);
      loadService({});
      const loader = createLoader(options);
      loader.preload();
      const code = await loader.load().catch((error) => error.code);
      await new Promise((resolve) => setTimeout(resolve, 20));
      process.stdout.write(JSON.stringify([loader.environment, loader.state, code, environmentOf('https://pay.test/s/1', options)]));
    `);
    expect(result).toEqual(['staging', 'idle', 'not_in_browser', 'staging']);
  });
});

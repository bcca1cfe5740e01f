/** Time to a form on a mid-range phone with nothing cached: ours, a bare frame, and a peer's card form. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { it } from 'vitest';
import { launch, startOrigin, startService, type Page } from '../e2e/harness/index.js';
import { median } from './measure.js';
import { installedPeers, versionOf } from './peers.js';
import { record } from './results.mjs';

const ROUNDS = 11;
const PEER = '@adyen/adyen-web';

/** A mid-range phone on a slow 4G network. */
const CPU_SLOWDOWN = 4;
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};

/** The peer's card form. Its fields are frames from its servers, which are unreachable, so this measures until their requests. */
const PEER_PROGRAM = `
import { AdyenCheckout, Card } from '${PEER}';
import '${PEER}/styles/adyen.css';
const checkout = await AdyenCheckout({
  environment: 'test',
  clientKey: 'test_00000000000000000000000000000000',
  countryCode: 'US',
  locale: 'en-US',
  analytics: { enabled: false },
  paymentMethodsResponse: { paymentMethods: [{ type: 'scheme', name: 'Card', brands: ['visa', 'mc'] }] },
});
new Card(checkout).mount('#form');`;

it('shows a form soon after the page is opened', async () => {
  const merchant = await startOrigin({ host: 'localhost' });
  const service = await startService({ allowedOrigins: [merchant.url] });
  const { sessionUrl } = await service.create('payment');
  merchant.routes['/ours'] = page(
    `<script src="${service.loaderUrl}"></script><script>Service.completePayment('${sessionUrl}')</script>`,
  );
  merchant.routes['/frame'] = page(`<iframe src="${sessionUrl}" width="480" height="700"></iframe>`);
  merchant.routes['/peer'] = page(
    '<link rel="stylesheet" href="/peer.css"><div id="form"></div><script type="module" src="/peer.js"></script>',
  );
  for (const { name, type, contents } of await builtPeer())
    merchant.routes[name] = (_, response) => {
      response.writeHead(200, {
        'content-type': type,
        'content-encoding': 'br',
        'cache-control': 'no-store',
      });
      response.end(contents);
    };

  // One process for all frames, so that the slowdown applies to each.
  const browser = await launch('chromium', { args: ['--disable-site-isolation-trials'] });
  const tab = await browser.newPage();
  await slowDown(tab);
  await tab.addInitScript(reportField, 'input[autocomplete=cc-number], .adyen-checkout__field--cardNumber');
  const timed = async (path: string): Promise<number> => {
    await tab.goto(merchant.url + path, { waitUntil: 'commit' });
    const shownAt = await tab.waitForFunction(() => (globalThis as { shownAt?: number }).shownAt);
    return shownAt.evaluate((ms) => ms as number);
  };

  const seen = { ours: [] as number[], frame: [] as number[], peer: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    seen.ours.push(await timed('/ours'));
    seen.frame.push(await timed('/frame'));
    seen.peer.push(await timed('/peer'));
  }
  const ratio = median(seen.ours.map((ms, round) => ms / (seen.frame[round] as number)));
  const value = Math.round(median(seen.peer));
  record('phone', ratio, {
    peers: [{ name: PEER, version: versionOf(PEER), value, unit: 'ms' }],
    note: `${median(seen.ours).toFixed(0)} ms and ${median(seen.frame).toFixed(0)} ms; the peer until it asks for its field frames`,
  });

  await Promise.all([browser.close(), service.stop(), merchant.stop()]);
});

const page = (body: string): string =>
  `<!doctype html><meta name="viewport" content="width=device-width"><title>Bench</title><link rel="icon" href="data:,"><body>${body}`;

async function builtPeer(): Promise<{ name: string; type: string; contents: Uint8Array }[]> {
  const sizeLimit = createRequire(join(import.meta.dirname, '../package.json')).resolve(
    '@size-limit/esbuild',
  );
  const esbuild = createRequire(sizeLimit)('esbuild') as {
    build(options: object): Promise<{ outputFiles: { path: string; contents: Uint8Array }[] }>;
  };
  const { outputFiles } = await esbuild.build({
    stdin: { contents: PEER_PROGRAM, resolveDir: installedPeers() },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    outfile: '/peer.js',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'dataurl', '.png': 'dataurl' },
    logLevel: 'error',
  });
  return outputFiles.map(({ path, contents }) => ({
    name: path,
    type: path.endsWith('.css') ? 'text/css' : 'text/javascript',
    contents: brotliCompressSync(contents),
  }));
}

async function slowDown(tab: Page): Promise<void> {
  const devTools = await tab.context().newCDPSession(tab);
  await devTools.send('Network.enable');
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devTools.send('Network.emulateNetworkConditions', NETWORK);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}

/** In every frame: notifies the top window when the field is laid out. `shownAt` is the time since navigation there, ms. */
function reportField(field: string): void {
  const check = (): void => {
    const height = document.querySelector(field)?.getBoundingClientRect().height ?? 0;
    if (height > 0) top?.postMessage('shown', '*');
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
  const page = globalThis as { shownAt?: number };
  if (top === self)
    addEventListener('message', ({ data }) => {
      if (data === 'shown') page.shownAt ??= performance.now();
    });
}

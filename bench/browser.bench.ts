/** Compares in Chromium the loader with a bare script, and the modal with a bare frame. */
import { afterAll, beforeAll, it } from 'vitest';
import {
  launch,
  startOrigin,
  startService,
  type Browser,
  type Origin,
  type Page,
  type Service,
} from '../e2e/harness/index.js';
import { startStage, type Stage } from '../e2e/sdk/stage.js';
import { inPairs } from './measure.js';
import { record } from './results.mjs';

let browser: Browser;
let merchant: Origin;
let service: Service;
let stage: Stage;

beforeAll(async () => {
  merchant = await startOrigin({ host: 'localhost', folders: { '/loader/': 'packages/loader/dist' } });
  service = await startService({ allowedOrigins: [merchant.url] });
  // The built script, served with 50 ms latency and never cached.
  const script = await fetch(service.loaderUrl).then((response) => response.text());
  merchant.routes['/app/embedded.loader.js'] = async (_, response) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' });
    response.end(script);
  };
  merchant.routes['/'] = `<!doctype html><title>Bench</title><link rel="icon" href="data:,"><body>
<script type="module">
  import { createLoader } from '/loader/index.js';
  const loaderUrl = location.origin + '/app/embedded.loader.js';
  window.viaLoader = () => createLoader({ environment: 'staging', loaderUrl }).load();
  window.viaScript = () => new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.async = true;
    script.src = loaderUrl;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
  document.title = 'Ready';
</script>`;
  browser = await launch('chromium');
  stage = await startStage();
});
afterAll(() => Promise.all([browser.close(), merchant.stop(), service.stop(), stage.stop()]));

/** A new page in a context with a warm cache. */
async function fresh(page: Page): Promise<void> {
  await page.goto(merchant.url);
  await page.waitForFunction(() => document.title === 'Ready');
}

it('loads the SDK as fast as a bare script tag does', async () => {
  const page = await browser.newPage();
  const timed = (name: 'viaLoader' | 'viaScript') => async (): Promise<number> => {
    await fresh(page);
    return page.evaluate(async (name) => {
      const started = performance.now();
      await (globalThis as unknown as Record<string, () => Promise<unknown>>)[name]!();
      return performance.now() - started;
    }, name);
  };
  await timed('viaScript')();
  const { ours, theirs, ratio } = await inPairs(30, timed('viaLoader'), timed('viaScript'));
  record('load', ratio, { note: `${ours.toFixed(1)} ms and ${theirs.toFixed(1)} ms` });
  await page.close();
});

it('shows the form nearly as soon as a bare frame does', async () => {
  const page = await browser.newPage();
  // In every frame: notifies the top window when the card number can be typed.
  await page.addInitScript(() => {
    if (top === self) return;
    const check = (): boolean => {
      if (!document.querySelector('input[autocomplete=cc-number]')) return false;
      requestAnimationFrame(() => top?.postMessage('interactive', '*'));
      return true;
    };
    if (!check()) {
      const observer = new MutationObserver(() => check() && observer.disconnect());
      observer.observe(document, { childList: true, subtree: true });
    }
  });
  const { sessionUrl } = await service.create('payment');
  const timed = (how: 'modal' | 'frame') => async (): Promise<number> => {
    await fresh(page);
    await page.evaluate(() => (globalThis as unknown as { viaScript: () => Promise<unknown> }).viaScript());
    return page.evaluate(
      async ([how, url]) => {
        const interactive = new Promise((resolve) =>
          addEventListener('message', ({ data }) => data === 'interactive' && resolve(undefined)),
        );
        const started = performance.now();
        if (how === 'modal') {
          const { Service } = globalThis as unknown as {
            Service: { completePayment(url: string): unknown; on(type: string, then: () => void): void };
          };
          const isShown = new Promise<void>((resolve) => Service.on('ready', resolve));
          Service.completePayment(url!);
          await Promise.all([interactive, isShown]);
        } else {
          const frame = document.createElement('iframe');
          frame.src = url!;
          frame.style.cssText = 'position:fixed;inset:0;margin:auto;width:480px;height:700px';
          document.body.append(frame);
          await interactive;
        }
        return performance.now() - started;
      },
      [how, sessionUrl],
    );
  };
  await timed('modal')();
  const { ours, theirs, ratio } = await inPairs(60, timed('modal'), timed('frame'));
  record('near', ratio, { note: `${ours.toFixed(0)} ms and ${theirs.toFixed(0)} ms` });
  await page.close();
});

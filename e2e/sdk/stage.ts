/**
 * The built SDK script on a merchant's page. A fake page on another site replaces the hosted pages. It implements the frame
 * protocol and fails on demand.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { launch, openTab, sessionFrame, startOrigin, type Engine, type Origin } from '../harness/index.js';

export const SECRET = 'Zm9yIHRoZSBmcmFnbWVudCBvbmx5';

const SDK = new URL('../../packages/service/dist/app/embedded.loader.js', import.meta.url).pathname;

const LOADER = new URL('../../packages/loader/dist/embedded-sessions.iife.js', import.meta.url);

/** `silent` never replies. `mute` replies to everything except `close`. */
const PAGE = `<!doctype html><html lang="en"><title>Session</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>body{font:16px sans-serif;margin:16px}</style>
<main><h1>Session</h1><label>Card number <input id="card"></label>
<p><button data-post='{"type":"state","state":"processing","words":"Your payment is being processed."}'>Pay</button>
<button data-post='{"type":"state","state":"form"}'>Decline</button>
<button data-post='{"type":"completed","sessionId":"stg_1","detail":{"Status":"Succeeded","Charges":[{"Amount":1234}]}}'>Succeed</button>
<button data-post='{"type":"close-request","reason":"done"}'>Done</button>
<button data-post='{"type":"close-request","reason":"cancel"}'>Cancel</button>
<button data-post='{"type":"expired"}'>Expire</button>
<button data-post='{"type":"error","message":"This session is unknown."}'>Break</button>
<button data-post='{"type":"resize","height":50.2}'>Small</button>
<button data-post='{"type":"resize","height":400}'>Short</button>
<button data-post='{"type":"resize","height":701}'>Medium</button>
<button data-post='{"type":"resize","height":99999}'>Large</button>
<button data-post='{"type":"fireworks"}'>Unknown type</button></p></main>
<script>
  const mode = location.pathname.split('_')[1];
  let port, state = 'form';
  const post = (message) => {
    if (message.type === 'state') state = message.state;
    if (message.type === 'completed') state = 'done';
    port?.postMessage(message);
  };
  if (mode !== 'silent') {
    addEventListener('message', ({ data, source, ports }) => {
      if (data?.type !== 'embedded-sessions:init' || source !== parent || port) return;
      port = ports[0];
      port.onmessage = ({ data }) => {
        if (data.type === 'focus') document.querySelector('#card').focus();
        if (data.type !== 'close') return;
        document.body.dataset.closes = Number(document.body.dataset.closes ?? 0) + 1;
        if (mode !== 'mute') post({ type: 'state', state, reply: true });
      };
      post({ type: 'ready' });
      post({ type: 'resize', height: document.documentElement.offsetHeight });
    });
  }
  addEventListener('keydown', ({ key }) => key === 'Escape' && post({ type: 'close-request', reason: 'escape' }));
  for (const button of document.querySelectorAll('button')) {
    button.onclick = () => post(JSON.parse(button.dataset.post));
  }
</script>`;

/** Tall enough to scroll. The fixed header would shift if the scrollbar disappeared. */
export const MERCHANT = (sdk: string, head = ''): string => `<!doctype html><html lang="en"><head>
<meta charset="utf-8"><title>Pay your bill</title><meta name="viewport" content="width=device-width, initial-scale=1">
${head}<script src="${sdk}"></script></head>
<body><main><h1 id="heading">Harborlight Water</h1><button id="pay">Pay now</button>
<div id="inline"></div><div id="second"></div><div id="tall"></div></main>
<script src="/page.js"></script></body></html>`;

const PAGE_SCRIPT = `
  document.querySelector('#tall').style.height = '3000px';
  window.events = [];
  for (const type of ['opened', 'ready', 'processing', 'completed', 'closed', 'expired', 'error']) {
    Service.on(type, (event) => events.push(event));
  }
  window.outcome = (promise) => promise.then(
    (result) => ({ result }),
    (error) => ({ code: error.code, message: error.message, details: error.details, name: error.name }),
  );
  window.openFlow = (url, options) => { window.flow = Service.completePayment(url, options); window.result = outcome(flow); };
  document.querySelector('#pay').addEventListener('click', () => openFlow(window.sessionUrl));
`;

export interface Stage {
  merchant: Origin;
  service: Origin;
  sessionUrl(mode?: string): string;
  /** The script tag of the loader, for a page of the merchant. */
  loaderTag: string;
  stop(): Promise<void>;
}

/** The code of a library, to be written into a page. */
export const library = (path: string): string =>
  readFileSync(createRequire(import.meta.url).resolve(path), 'utf8').replaceAll(
    '</script',
    String.raw`<\/script`,
  );

/** A page that runs `script` before our code, and opens a payment through the loader's button. */
export const payPage = (stage: Stage, script: string, body = '', mode = 'plain'): string =>
  `<!doctype html><html lang="en"><title>Pay your bill</title>
  <script>${script}</script>
  ${stage.loaderTag}
  <body><button id="pay">Pay now</button><p id="status"></p>${body}<script>
    document.querySelector('#pay').addEventListener('click', () => {
      EmbeddedSessions.completePayment('${stage.sessionUrl(mode)}').then(
        (result) => {
          window.result = result;
          // Reading the page needs its Promise, which it may have replaced.
          document.querySelector('#status').textContent = [result.status, result.detail?.Charges?.[0].Amount].join(' ');
        },
        ({ code, details, message }) => { window.result = { code, details, message }; },
      );
    });
  </script></body></html>`;

/** Creates a page for each test of a block, in one browser. */
export function eachPage(engine: Engine, use: (page: Page, frame: FrameLocator) => void): void {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await openTab(browser);
    use(page, sessionFrame(page));
  });
  afterEach(() => page.close());
}

/** The result or error of the flow's promise. */
export async function resultOn(page: Page): Promise<unknown> {
  await page.waitForFunction(() => 'result' in globalThis);
  return page.evaluate(() => (globalThis as unknown as { result: unknown }).result);
}

export async function startStage(): Promise<Stage> {
  const service = await startOrigin({ host: 'localhost' });
  const config = (environment: string): string => JSON.stringify({ environment, base: service.url });
  const script = (environment: string): string =>
    `(()=>{const SERVICE_CONFIG=${config(environment)};${readFileSync(SDK, 'utf8')}})();`;
  const type = 'text/javascript';
  service.routes['/app/embedded.loader.js'] = { body: script('staging'), type };
  const words = JSON.parse(readFileSync(SDK.replace('embedded.loader.js', 'words.json'), 'utf8')) as {
    en: object;
  };
  service.routes['/app/words.js'] = {
    body: `export default ${JSON.stringify({ lang: 'en', dir: 'ltr', ...words.en })};`,
    type,
    headers: { 'access-control-allow-origin': '*' },
  };
  service.routes['/production.js'] = { body: script('production'), type };
  for (const mode of ['plain', 'silent', 'mute']) service.routes[`/s/stg_${mode}`] = PAGE;
  let requests = 0;
  service.routes['/s/stg_late'] = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(++requests % 2 === 1 ? '<title>Starting</title>' : PAGE);
  };
  const sdk = `${service.url}/app/embedded.loader.js`;
  const strict = {
    'content-security-policy': `default-src 'none'; img-src 'self'; script-src 'self' ${service.url}; frame-src ${service.url}; style-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  };
  const merchant = await startOrigin({
    routes: {
      '/': MERCHANT(sdk),
      '/strict': { body: MERCHANT(sdk), headers: strict },
      '/twice': MERCHANT(sdk, `<script src="${service.url}/production.js"></script>`),
      '/hostile': MERCHANT(
        sdk,
        `<style>iframe{display:none!important;height:1px!important} div,dialog{visibility:hidden!important;position:fixed!important} *{font-size:3px} @layer page{dialog{display:none!important}}</style>`,
      ),
      '/favicon.ico': { body: '', type: 'image/x-icon' },
      '/page.js': { body: PAGE_SCRIPT, type },
      '/loader.js': { body: readFileSync(LOADER, 'utf8'), type },
      '/elsewhere': '<title>Elsewhere</title><p>elsewhere</p>',
    },
  });
  return {
    merchant,
    service,
    loaderTag: `<script src="/loader.js" data-environment="staging" data-loader-url="${sdk}"></script>`,
    sessionUrl: (mode = 'plain') => `${service.url}/s/stg_${mode}#${SECRET}`,
    stop: async () => void (await Promise.all([merchant.stop(), service.stop()])),
  };
}

/** A provider host that fails in every possible way, and merchant pages that load from it. */
import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { startOrigin, type Origin } from '../harness/index.js';

/** A minimal SDK as an operator might write it: a promise, a frame, the environment. Counts what it opened. */
export const sdk = (environment?: string): string => `
  window.opened ??= [];
  window.Service = {
    ${environment ? `environment: '${environment}',` : ''}
    completePayment(url) { window.opened.push(url); return new Promise((resolve) => { window.settle = resolve; }); },
    startFlow(url) { return this.completePayment(url); },
  };`;

export interface Operator {
  readonly url: string;
  /** The loader URL for a script with this behavior. */
  loaderUrl(behavior: string): string;
  /** Requests for a behavior's script, in order, with their query. */
  requests(behavior: string): string[];
  /** Releases the scripts of `held`. */
  release(): void;
  stop(): Promise<void>;
}

/**
 * `/{behavior}/app/embedded.loader.js`. A behavior may end in `~` and any text, so that each test has its own.
 * `404-then-ok` returns these responses in turn and then repeats the last one.
 */
export async function startOperator(): Promise<Operator> {
  const counts = new Map<string, string[]>();
  let held: ServerResponse[] = [];
  const script = (response: ServerResponse, body: string) =>
    response
      .writeHead(200, {
        'content-type': 'text/javascript',
        'access-control-allow-origin': '*',
        'cache-control': 'max-age=600',
      })
      .end(body);

  const behave: Record<string, (response: ServerResponse) => unknown> = {
    ok: (response) => script(response, sdk('staging')),
    silent: (response) => script(response, sdk()),
    production: (response) => script(response, sdk('production')),
    late: (response) => script(response, `setTimeout(() => { ${sdk('staging')} }, 1_000);`),
    missing: (response) => script(response, 'window.SomethingElse = {};'),
    '404': (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not here</h1>'),
    '500': (response) => response.writeHead(500).end(),
    reset: (response) => response.socket?.destroy(),
    hang: () => undefined,
    // Sends the headers and the first bytes, then nothing.
    drip: (response) =>
      response.writeHead(200, { 'content-type': 'text/javascript' }).write('window.dripped = 1;'),
    cut: (response) => {
      response.writeHead(200, { 'content-type': 'text/javascript', 'content-length': '5000' });
      response.write(sdk('staging'), () => response.socket?.destroy());
    },
    held: (response) => held.push(response),
    // Cross-origin, because 127.0.0.1 is not localhost.
    redirect: (response) =>
      response
        .writeHead(302, { location: `${origin.url.replace('localhost', '127.0.0.1')}/elsewhere.js` })
        .end(),
  };

  const origin = await startOrigin({ host: 'localhost' });
  const handle = origin.routes;
  return {
    url: origin.url,
    loaderUrl(behavior) {
      handle[`/${behavior}/app/embedded.loader.js`] = (request, response) => {
        const seen = counts.get(behavior) ?? [];
        counts.set(behavior, seen);
        const steps = behavior.split('~')[0]!.split('-then-');
        const step = steps[Math.min(seen.length, steps.length - 1)]!;
        seen.push(new URL(request.url ?? '', origin.url).search);
        behave[step]!(response);
      };
      return `${origin.url}/${behavior}/app/embedded.loader.js`;
    },
    requests: (behavior) => counts.get(behavior) ?? [],
    release() {
      for (const response of held) script(response, sdk('staging'));
      held = [];
    },
    stop: () => origin.stop(),
  };
}

/** A merchant's site. The test defines `/`. `/loader/` is the built package, `/copy/` a second copy. */
export const startMerchant = (): Promise<Origin> =>
  startOrigin({
    folders: { '/loader/': 'packages/loader/dist/', '/copy/': 'packages/loader/dist/' },
    routes: {
      '/away': '<!doctype html><title>Elsewhere</title>',
      '/': (request, response) => {
        const query = new URL(request.url ?? '/', 'http://merchant').searchParams;
        const csp = query.get('csp');
        const report = query.get('report');
        const nonce = query.get('nonce');
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          ...(csp && { 'content-security-policy': csp }),
          ...(report && { 'content-security-policy-report-only': report }),
        });
        response.end(`<!doctype html><title>Merchant</title>${query.get('head') ?? ''}
          <script type="module" ${nonce ? `nonce="${nonce}"` : ''} src="/start.js"></script>`);
      },
      '/start.js': {
        type: 'text/javascript',
        body: `import * as L from '/loader/index.js'; window.L = L; window.copy = () => import('/copy/index.js'); window.started = true;`,
      },
    },
  });

/** Errors that a page must not show, collected before any of its scripts run. */
export interface Trouble {
  unhandled: string[];
  consoleErrors: string[];
}

export async function watchTrouble(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const trouble: Trouble = { unhandled: [], consoleErrors: [] };
    Object.assign(window, { trouble });
    addEventListener('unhandledrejection', ({ reason }) => trouble.unhandled.push(String(reason)));
    addEventListener('error', (event) => {
      if (event instanceof ErrorEvent) trouble.unhandled.push(event.message);
    });
    // Excludes the browser's own messages about failed fetches. The others come from scripts.
    for (const level of ['error', 'warn'] as const)
      console[level] = (...args: unknown[]) => void trouble.consoleErrors.push(args.map(String).join(' '));
  });
}

export async function visit(
  page: Page,
  origin: Origin,
  params: { csp?: string; report?: string; nonce?: string; head?: string } = {},
): Promise<void> {
  const query = new URLSearchParams(Object.entries(params)).toString();
  // Don't wait for the load event, because some scripts never respond.
  await page.goto(`${origin.url}/?${query}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => Object.hasOwn(window, 'started'));
}

/** Counts loader script tags on the page. */
export const liveTags = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLScriptElement>('script[src*="/app/embedded.loader.js"]')].map(
      ({ src }) => src,
    ),
  );

export const troubleOf = (page: Page): Promise<Trouble> =>
  page.evaluate(() => (window as unknown as { trouble: Trouble }).trouble);

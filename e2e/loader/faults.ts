/** An operator's host on which everything that can go wrong does, and merchants' pages that load from it. */
import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { startOrigin, type Origin } from '../harness/index.js';

/** A minimal SDK as an operator may write one: a promise, a frame, the environment. It counts what it opened. */
export const sdk = (environment?: string): string => `
  window.opened ??= [];
  window.Service = {
    ${environment ? `environment: '${environment}',` : ''}
    completePayment(url) { window.opened.push(url); return new Promise((resolve) => { window.settle = resolve; }); },
    startFlow(url) { return this.completePayment(url); },
  };`;

export interface Operator {
  readonly url: string;
  /** The loader URL whose script behaves so. */
  loaderUrl(behaviour: string): string;
  /** Requests for the script of a behaviour, in order, with their query. */
  requests(behaviour: string): string[];
  /** Lets the scripts of `held` go. */
  release(): void;
  stop(): Promise<void>;
}

/**
 * `/{behaviour}/app/embedded.loader.js`. A behaviour may end in `~` and anything, so that a test has one of its own;
 * `404-then-ok` answers each in its turn, the last one for ever.
 */
export async function startOperator(): Promise<Operator> {
  const counts = new Map<string, string[]>();
  let held: ServerResponse[] = [];
  const script = (response: ServerResponse, body: string) =>
    response
      .writeHead(200, { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' })
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
    // Its header and the first bytes arrive, the rest never does.
    drip: (response) =>
      response.writeHead(200, { 'content-type': 'text/javascript' }).write('window.dripped = 1;'),
    cut: (response) => {
      response.writeHead(200, { 'content-type': 'text/javascript', 'content-length': '5000' });
      response.write(sdk('staging'), () => response.socket?.destroy());
    },
    held: (response) => held.push(response),
    // To another origin: 127.0.0.1 is not localhost.
    redirect: (response) =>
      response
        .writeHead(302, { location: `${origin.url.replace('localhost', '127.0.0.1')}/elsewhere.js` })
        .end(),
  };

  const origin = await startOrigin({ host: 'localhost' });
  const handle = origin.routes;
  return {
    url: origin.url,
    loaderUrl(behaviour) {
      handle[`/${behaviour}/app/embedded.loader.js`] = (request, response) => {
        const seen = counts.get(behaviour) ?? [];
        counts.set(behaviour, seen);
        const steps = behaviour.split('~')[0]!.split('-then-');
        const step = steps[Math.min(seen.length, steps.length - 1)]!;
        seen.push(new URL(request.url ?? '', origin.url).search);
        behave[step]!(response);
      };
      return `${origin.url}/${behaviour}/app/embedded.loader.js`;
    },
    requests: (behaviour) => counts.get(behaviour) ?? [],
    release() {
      for (const response of held) script(response, sdk('staging'));
      held = [];
    },
    stop: () => origin.stop(),
  };
}

/** A merchant's site: `/` is built from what the test asks for, `/loader/` is the package as it was built, `/copy/` again. */
export const startMerchant = (): Promise<Origin> =>
  startOrigin({
    folders: { '/loader/': 'packages/loader/dist/', '/copy/': 'packages/loader/dist/' },
    routes: {
      '/away': '<!doctype html><title>Elsewhere</title>',
      '/': (request, response) => {
        const asked = new URL(request.url ?? '/', 'http://merchant').searchParams;
        const csp = asked.get('csp');
        const report = asked.get('report');
        const nonce = asked.get('nonce');
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          ...(csp && { 'content-security-policy': csp }),
          ...(report && { 'content-security-policy-report-only': report }),
        });
        response.end(`<!doctype html><title>Merchant</title>${asked.get('head') ?? ''}
          <script type="module" ${nonce ? `nonce="${nonce}"` : ''} src="/start.js"></script>`);
      },
      '/start.js': {
        type: 'text/javascript',
        body: `import * as L from '/loader/index.js'; window.L = L; window.copy = () => import('/copy/index.js'); window.started = true;`,
      },
    },
  });

/** What a page must not show, collected before any script of its own runs. */
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
    // The browser's own lines about a failed fetch do not come this way: what does is a script's.
    for (const level of ['error', 'warn'] as const)
      console[level] = (...args: unknown[]) => void trouble.consoleErrors.push(args.map(String).join(' '));
  });
}

export async function visit(
  page: Page,
  origin: Origin,
  asked: { csp?: string; report?: string; nonce?: string; head?: string } = {},
): Promise<void> {
  const query = new URLSearchParams(Object.entries(asked)).toString();
  // Not until it has loaded: a script that never answers is part of the matter.
  await page.goto(`${origin.url}/?${query}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => Object.hasOwn(window, 'started'));
}

/** Loader tags on the page. */
export const liveTags = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLScriptElement>('script[src*="/app/embedded.loader.js"]')].map(
      ({ src }) => src,
    ),
  );

export const troubleOf = (page: Page): Promise<Trouble> =>
  page.evaluate(() => (window as unknown as { trouble: Trouble }).trouble);

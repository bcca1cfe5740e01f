/**
 * The site's HTTP routes. The returned `fetch` is the whole backend: `main.ts` serves it on a port, tests call it directly.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isServiceError, verifyWebhook, type ServiceClient } from '@embedded-sessions/server';
import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { UserError, type Billing } from './billing.js';
import type { Config } from './config.js';
import { MANAGEMENT_FLOWS, balanceOf, type Customer } from './ledger.js';
import { renderPage, viewOf } from './page.js';
import type { Store } from './store.js';

const COOKIE = 'harborlight';
const asset = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const plainSite = createRequire(new URL('../../script-tag/package.json', import.meta.url));
const loaderScript = (): string =>
  readFileSync(plainSite.resolve('@embedded-sessions/loader/script'), 'utf8');

type Env = { Variables: { customer: Customer } };

export function createApp(deps: {
  config: Config;
  client: ServiceClient;
  billing: Billing;
  store: Store;
  now: () => Date;
  log: (line: string) => void;
}): Hono<Env> {
  const { config, billing, store, log } = deps;
  const app = new Hono<Env>();

  /** Signs each new visitor in as a demo customer. A real site would authenticate customers. */
  const signedIn = createMiddleware<Env>(async (c, next) => {
    let customer = store.get(getCookie(c, COOKIE));
    if (!customer) {
      customer = store.addCustomer(deps.now());
      setCookie(c, COOKIE, customer.id, { httpOnly: true, sameSite: 'Lax', path: '/' });
    }
    c.set('customer', customer);
    await next();
  });

  /** Prevents CSRF: accepts POSTs only from pages of this site. */
  const sameOrigin = createMiddleware<Env>(async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    const origin = c.req.header('origin');
    const isSameOrigin =
      site !== undefined
        ? site === 'same-origin'
        : origin !== undefined && URL.canParse(origin) && new URL(origin).host === c.req.header('host');
    if (!isSameOrigin)
      return c.json(errorBody('cross_site', 'This request did not come from a page of this site.'), 403);
    await next();
  });

  app.onError((error, c) => {
    if (error instanceof UserError) return c.json(errorBody(error.code, error.message), 409);
    if (isServiceError(error)) {
      log(`service: ${error.kind}: ${error.message}`);
      const message = 'Payments are not available right now. Please try again in a moment.';
      return c.json(errorBody('service_unavailable', message), 502);
    }
    log(`error: ${error.stack ?? error.message}`);
    return c.json(
      errorBody('internal', 'Something went wrong on our side. Please try again in a moment.'),
      500,
    );
  });

  app.use('/api/*', signedIn);
  app.on('POST', '/api/*', sameOrigin);

  const view = (c: Context<Env>, customer: Customer) => {
    c.header('Cache-Control', 'no-store');
    return c.json(viewOf(config, customer));
  };

  app.get('/api/account', (c) => view(c, c.get('customer')));

  app.post('/api/sessions/payment', async (c) => {
    const customer = c.get('customer');
    const account = (await fields(c))['account'];
    const numbers = account
      ? [account]
      : customer.accounts.filter((each) => balanceOf(each) > 0).map(({ number }) => number);
    const { sessionUrl, environment, expiresInMs } = await billing.payment(customer.id, numbers);
    return c.json({ sessionUrl, environment, expiresInMs });
  });

  app.post('/api/sessions/:flow', async (c) => {
    const flow = MANAGEMENT_FLOWS.find((name) => name === c.req.param('flow'));
    if (!flow) return c.json(errorBody('not_found', 'There is no such flow.'), 404);
    const customer = c.get('customer');
    const account = (await fields(c))['account'] ?? customer.accounts[0]?.number ?? '';
    const { sessionUrl, environment, expiresInMs } = await billing.manage(customer, flow, account);
    return c.json({ sessionUrl, environment, expiresInMs });
  });

  // The page reports "completed", but only the service can confirm that a bill is paid.
  app.post('/api/payments/confirm', async (c) => view(c, await billing.confirm(c.get('customer').id)));

  app.post('/api/profile', async (c) => {
    const { firstName = '', lastName = '', emailAddress = '' } = await fields(c);
    const profile = {
      firstName: firstName.trim(),
      lastName: lastName.trim(),
      emailAddress: emailAddress.trim(),
    };
    if (!profile.firstName || !profile.lastName || !/^[^\s@]+@[^\s@]+$/.test(profile.emailAddress))
      return c.json(errorBody('invalid', 'Enter a first name, a last name and an email address.'), 400);
    return view(c, await billing.changeProfile(c.get('customer').id, profile));
  });

  app.post('/api/autopay/stop', async (c) =>
    view(c, await billing.stopAutopay(c.get('customer'), (await fields(c))['account'] ?? '')),
  );

  app.post('/api/next-bill', async (c) => view(c, await billing.postBills(c.get('customer').id)));

  app.post('/webhooks', async (c) => {
    const secret = config.webhookSecrets[config.environment];
    if (!secret) return c.text('No webhook secret is configured', 503);
    const body = await c.req.text();
    try {
      const event = await verifyWebhook(body, c.req.raw.headers, secret);
      await billing.handleWebhook(event);
      return c.body(null, 204);
    } catch (error) {
      if (!isServiceError(error) || error.kind !== 'signature') throw error;
      log(`webhook refused: ${error.message}`);
      return c.text('Signature refused', 400);
    }
  });

  // The plain site: one HTML file, one stylesheet and the loader's script, without a build.
  app.get('/', signedIn, (c) => {
    const { operator, environment } = config;
    const other = environment === 'staging' ? 'production' : 'staging';
    const wrong = c.req.query('loader') === 'other';
    c.header('Cache-Control', 'no-store');
    const loaderUrl = wrong ? operator[other].loaderUrl : config.loaderUrl;
    c.header('Content-Security-Policy', contentSecurityPolicy(loaderUrl, config.baseUrl));
    return c.html(
      renderPage(asset('../../script-tag/index.html'), {
        config,
        customer: c.get('customer'),
        loaderUrl,
        wrongLoader: wrong,
      }),
    );
  });
  const serveText = (path: string, type: string, read: () => string) =>
    app.get(path, (c) => c.body(read(), 200, { 'Content-Type': `${type}; charset=utf-8` }));
  serveText('/site.js', 'text/javascript', () => asset('../../script-tag/site.js'));
  serveText('/harborlight.css', 'text/css', () => asset('../public/harborlight.css'));
  serveText('/favicon.svg', 'image/svg+xml', () => asset('../public/favicon.svg'));
  serveText('/embedded-sessions.js', 'text/javascript', loaderScript);

  return app;
}

const errorBody = (code: string, message: string) => ({ error: { code, message } });

/** Reads JSON from a script, or a form's fields from a declarative button. */
async function fields(c: Context): Promise<Record<string, string>> {
  const type = c.req.header('content-type') ?? '';
  const body: unknown = type.startsWith('application/json')
    ? await c.req.json().catch(() => ({}))
    : await c.req.parseBody();
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Allows what a merchant's page needs: the operator's script and frame. */
function contentSecurityPolicy(loaderUrl: string, baseUrl: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${new URL(loaderUrl).origin}`,
    `frame-src ${new URL(baseUrl).origin}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The site's HTTP routes. The returned `fetch` is the whole backend: `main.ts` serves it on a port, tests call it directly.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isServiceError, verifyWebhook } from '@embedded-sessions/server';
import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { UserError, type Billing } from './billing.js';
import type { Config } from './config.js';
import type { Customer } from './ledger.js';
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

  app.onError((error, c) => {
    if (error instanceof UserError) return c.json(errorBody(error.message), 409);
    if (error instanceof HTTPException) return error.getResponse();
    log(error.stack ?? error.message);
    return isServiceError(error)
      ? c.json(errorBody('Payments are not available right now. Please try again in a moment.'), 502)
      : c.json(errorBody('Something went wrong on our side. Please try again in a moment.'), 500);
  });

  // Other sites can't send JSON, and `csrf` refuses their forms.
  app.use('/api/*', csrf(), signedIn);

  const view = (c: Context<Env>, customer: Customer) => {
    c.header('Cache-Control', 'no-store');
    return c.json(viewOf(config, customer));
  };

  app.get('/api/account', (c) => view(c, c.get('customer')));

  app.post('/api/sessions/:flow', async (c) => {
    const session = await billing.createSession(c.get('customer'), c.req.param('flow'));
    if (!session) return c.json(errorBody('There is no such flow.'), 404);
    const { sessionUrl, environment, expiresInMs } = session;
    return c.json({ sessionUrl, environment, expiresInMs });
  });

  // The page reports "completed", but only the service can confirm that a bill is paid.
  app.post('/api/payments/confirm', async (c) => view(c, await billing.confirm(c.get('customer').id)));

  app.post('/api/email', async (c) => {
    const { emailAddress } = await c.req.json<{ emailAddress: unknown }>();
    if (typeof emailAddress !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(emailAddress))
      return c.json(errorBody('Enter an email address.'), 400);
    return view(c, await billing.changeEmail(c.get('customer'), emailAddress));
  });

  app.post('/api/autopay/stop', async (c) => view(c, await billing.stopAutopay(c.get('customer'))));

  app.post('/api/next-bill', async (c) => view(c, await billing.postBill(c.get('customer').id)));

  app.post('/webhooks', async (c) => {
    const secret = config.webhookSecrets[config.environment];
    if (!secret) return c.text('No webhook secret is configured', 503);
    const body = await c.req.text();
    try {
      const event = await verifyWebhook(body, c.req.raw.headers, secret);
      await billing.handleWebhook(event);
      return c.body(null, 204);
    } catch (error) {
      // Any other error becomes a 5xx, so the service sends the webhook again.
      if (!isServiceError(error) || error.kind !== 'signature') throw error;
      log(`webhook refused: ${error.message}`);
      return c.text('Signature refused', 400);
    }
  });

  // The plain site: one HTML file, one stylesheet and the loader's script, without a build.
  app.get('/', signedIn, (c) => {
    c.header('Cache-Control', 'no-store');
    c.header('Content-Security-Policy', contentSecurityPolicy(config));
    return c.html(renderPage(asset('../../script-tag/index.html'), viewOf(config, c.get('customer'))));
  });
  const serveText = (path: string, type: string, read: () => string) =>
    app.get(path, (c) => c.body(read(), 200, { 'Content-Type': `${type}; charset=utf-8` }));
  serveText('/site.js', 'text/javascript', () => asset('../../script-tag/site.js'));
  serveText('/harborlight.css', 'text/css', () => asset('../public/harborlight.css'));
  serveText('/favicon.svg', 'image/svg+xml', () => asset('../public/favicon.svg'));
  serveText('/embedded-sessions.js', 'text/javascript', loaderScript);

  return app;
}

const errorBody = (message: string) => ({ error: { message } });

/** Allows what a merchant's page needs: the operator's script and frame. */
function contentSecurityPolicy({ loaderUrl, baseUrl }: Config): string {
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

/**
 * Routes of the hosted pages: `GET /s/{id}`, `/s/{id}/framing`, `/s/{id}/framing.js`, `/s/{id}/returned`,
 * `/s/{id}/logo`, `/s/warm` for a page that waits for its session, and `/assets/*`. The HTML contains the business unit
 * and the flow, but nothing about the payer: the page requests the session with its secret. Pages of unknown sessions
 * name no business unit and no origin (R-92).
 */
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  type BrotliOptions,
} from 'node:zlib';
import { Hono, type Context } from 'hono';
import { defined } from '../core/defined.js';
import { ServiceError } from '../core/error.js';
import { environmentOfId, type ServiceEnvironment, type SessionEnvironment } from '../shared/environment.js';
import {
  LANGUAGES,
  matchTestLanguage,
  type Language,
  type PageLanguage,
  chooseLanguage,
} from '../shared/languages.js';
import { catalogCode, isCatalogPart, type CatalogPart } from '../texts/catalogs.js';
import { KEYS, LOCALES, REVIEWED, type Overrides } from '../texts/texts.js';
import { Slots } from '../platform/slots.js';
import { readAppearance, type ResolvedAppearance } from '../shared/appearance.js';
import type { PageSession } from '../shared/page.js';
import { WARM } from '../shared/warm.js';
import { isWebOrigin } from '../platform/config/config.js';
import { acceptedIn, chooseEncoding, originOf } from './headers.js';
import { framingPage, refusedOrigin, returnedPage } from './frames.js';
import { appearanceOf } from './appearance.js';
import { logoResponse } from './logo.js';
import { pageHtml, pageOf, unavailableHtml, type HostedBusiness } from './page-html.js';
import type { HostedAssets } from './hosted-assets.js';

export interface FoundSession {
  flow: PageSession['flow'];
  business: HostedBusiness;
}

export interface HostedPageDeps {
  environment: SessionEnvironment;
  /** Whether test cards are accepted and nothing is charged. */
  testMode: boolean;
  /** Finds a session's flow and business unit, even if it has expired. */
  find(sessionId: string): Promise<FoundSession | null>;
  readonly assets: () => HostedAssets;
  /** Origins of the processor's challenges (R-101). */
  readonly frameOrigins?: readonly string[] | undefined;
  readonly operator?: string | undefined;
}

/** Any page may frame responses without session data. */
const ANY_ORIGIN = ['*'];

export function hostedPages(deps: HostedPageDeps): Hono {
  const routes = new Hono();

  routes.get('/assets/:name', (c) => assetResponse(deps.assets(), c));

  routes.get('/s/:id/framing', () => framingPage());

  routes.get('/s/:id/framing.js', async (c) => {
    const found = await deps.find(c.req.param('id'));
    const allowed = found === null ? ANY_ORIGIN : originsOf(found.business);
    return refusedOrigin(c.req.query('origins') ?? '', allowed);
  });

  // Some banks send the browser back with a form.
  routes.on(['GET', 'POST'], '/s/:id/returned', () => returnedPage());

  routes.get('/s/:id/logo', async (c) => {
    const found = await deps.find(c.req.param('id'));
    return logoResponse(found?.business, c.req.query('dark') !== undefined);
  });

  routes.get('/s/:id/texts/:name', async (c) => {
    const found = await deps.find(c.req.param('id'));
    return textsResponse(c, found?.business.messages, c.req.param('name'));
  });

  routes.get('/s/:id', async (c) => {
    const id = c.req.param('id');
    // Not a separate route, because next to a parameter it would slow down Hono's router.
    if (id === WARM) return warmPage(deps, c);

    try {
      return await sessionPage(deps, c, id, await deps.find(id));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unavailable')
        return unavailablePage(deps, c, error.retryAfter);
      throw error;
    }
  });

  return routes;
}

function assetResponse(assets: HostedAssets, c: Context): Response {
  const encoding = chooseEncoding(c.req.header('accept-encoding'));
  const found = assets.file(c.req.param('name') ?? '', encoding);
  if (found === null) return c.text('Not found', 404, { 'cache-control': 'no-store' });

  return c.body(found.body, 200, {
    'content-type': found.type,
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
    ...(found.encoding === 'identity' ? {} : { 'content-encoding': found.encoding }),
  });
}

function textsResponse(
  c: Context,
  overrides: Overrides | undefined,
  name: string,
): Response | Promise<Response> {
  const [, part, tag] = /^(\w+)\.([\w-]+)\.js$/.exec(name) ?? [];
  const language = LANGUAGES.find((each) => each === tag);
  const own = language === undefined ? undefined : overrides?.[language];
  if (language === undefined || own === undefined || !isCatalogPart(part)) return c.notFound();

  const compressed = ownCatalog(own, language, part);
  const isCompressed = chooseEncoding(c.req.header('accept-encoding')) === 'br';
  return c.body(isCompressed ? compressed : new Uint8Array(brotliDecompressSync(compressed)), 200, {
    ...(isCompressed ? { 'content-encoding': 'br' } : {}),
    'content-type': 'text/javascript; charset=utf-8',
    // Its URL has no hash, so after an upgrade a cached copy would lack texts that the page's script needs.
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
  });
}

type OwnTexts = NonNullable<Overrides[Language]>;
type Compressed = Uint8Array<ArrayBuffer>;

const ownCatalogs = new WeakMap<OwnTexts, Map<string, Compressed>>();

/** Made once per set of texts in the config, because strangers can ask for it (R-91). */
function ownCatalog(own: OwnTexts, language: Language, part: CatalogPart): Compressed {
  const catalogs = ownCatalogs.get(own) ?? new Map<string, Compressed>();
  const known = catalogs.get(`${part} ${language}`);
  if (known) return known;

  const messages = { ...LOCALES[language].messages, ...own };
  const code = catalogCode(language, part, { messages, keys: KEYS });
  const compressed = new Uint8Array(brotliCompressSync(code, QUICK));
  ownCatalogs.set(own, catalogs.set(`${part} ${language}`, compressed));
  return compressed;
}

function sessionPage(
  deps: HostedPageDeps,
  c: Context,
  id: string,
  found: FoundSession | null,
): Promise<Response> {
  const problem = isOtherEnvironment(id, deps.environment) ? 'environment' : 'unknown';
  const shown = found?.flow ?? problem;
  const language = languageFor(deps, c, found?.business);

  const { html, headers } = pageHtml({
    shown,
    sessionId: id,
    business: found?.business,
    language,
    looks: appearanceFor(c, found?.business),
    assets: deps.assets().page(pageOf(shown), language),
    origins: found === null ? ANY_ORIGIN : originsOf(found.business),
    testMode: deps.testMode && found !== null,
    operator: deps.operator,
    ...(found?.flow === 'payment' ? defined({ frameOrigins: deps.frameOrigins }) : {}),
  });
  return send(c, html, found === null ? 404 : 200, headers);
}

/**
 * The payment page without a session, only for the origin in its URL. Whether a business unit lists that origin is decided
 * when the session arrives with its secret (decision 0064), so it tells strangers nothing.
 */
function warmPage(deps: HostedPageDeps, c: Context): Response | Promise<Response> {
  const origin = c.req.query('origin') ?? '';
  if (!isWebOrigin(origin)) return c.body(null, 204, { 'cache-control': 'no-store' });

  const language = languageFor(deps, c, undefined);
  const assets = deps.assets();
  const { html, headers } = pageHtml({
    shown: 'payment',
    sessionId: WARM,
    language,
    looks: appearanceFor(c, undefined),
    assets: { ...assets.page('payment', language), firstScript: assets.warmScript },
    origins: [origin],
    anyLogo: true,
    testMode: deps.testMode,
    ...defined({ frameOrigins: deps.frameOrigins }),
  });
  return send(c, html, 200, headers);
}

function unavailablePage(deps: HostedPageDeps, c: Context, retryAfter: number | undefined): Response {
  const { html, headers } = unavailableHtml(languageFor(deps, c, undefined));
  return c.html(html, 503, { ...headers, 'retry-after': String(retryAfter) });
}

/** Compressing a few kB of HTML takes a fraction of a millisecond. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Maximum pages compressed concurrently. An encoder takes about a megabyte. */
const compressing = new Slots(3);
const compress = promisify<string, BrotliOptions, Buffer<ArrayBuffer>>(brotliCompress);

/** Compresses in a thread, because it takes as long as everything else (R-91). */
async function send(
  c: Context,
  html: string,
  status: 200 | 404,
  headers: Record<string, string>,
): Promise<Response> {
  if (chooseEncoding(c.req.header('accept-encoding')) !== 'br') return c.body(html, status, headers);

  const compressed = await compressing.run('pages', () => compress(html, QUICK));
  return c.body(new Uint8Array(compressed), status, { ...headers, 'content-encoding': 'br' });
}

export function languageFor(
  { environment }: { readonly environment: ServiceEnvironment },
  c: Context,
  business: HostedBusiness | undefined,
): PageLanguage {
  const requested = c.req.query('lang');
  const test = environment === 'production' ? undefined : matchTestLanguage(requested ?? '');
  return (
    test ??
    chooseLanguage({
      requested,
      configured: business?.locale,
      offered: business?.languages ?? (environment === 'production' ? REVIEWED : undefined),
      accepted: acceptedIn(c.req.header('accept-language')),
    })
  );
}

export function appearanceFor(c: Context, business: HostedBusiness | undefined): ResolvedAppearance {
  const query = c.req.query();
  return { ...appearanceOf(business?.appearance), ...readAppearance((name) => query[name]) };
}

function originsOf({ allowedOrigins }: HostedBusiness): string[] {
  return allowedOrigins.map(originOf).filter((origin) => origin !== undefined);
}

function isOtherEnvironment(id: string, environment: SessionEnvironment): boolean {
  const named = environmentOfId(id);
  return named !== undefined && named !== environment;
}

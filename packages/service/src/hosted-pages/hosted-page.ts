/**
 * `GET /s/{id}`: the HTML of a hosted page, `GET /s/warm`: of one that waits for its session, and `/assets/*`, the files they refer to. The HTML knows the business unit
 * and the flow and nothing of the payer: what the session holds is asked for by the page, with its secret.
 */
import { createHash } from 'node:crypto';
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib';
import { Hono, type Context, type HonoRequest } from 'hono';
import { ServiceError } from '../core/error.js';
import { environmentOfId, type SessionEnvironment } from '../shared/environment.js';
import { inert } from '../shared/inert.js';
import { MAX_BUSINESS_NAME } from '../shared/limits.js';
import { directionOf, type PageLanguage } from '../shared/languages.js';
import { readLooks, type Appearance, type Looks } from '../shared/appearance.js';
import { WARM } from '../shared/warm.js';
import { accepts } from './encoding.js';
import { chooseLanguage } from './choose-language.js';
import { framingPage, ISOLATED } from './framing-page.js';
import { hashSource } from './hash-source.js';
import { SHELL_TEXT, type HostedFlow } from './hosted-page-text.js';
import { looksOf, looksRule } from './looks.js';
import type { HostedAssets, PageAssets } from './hosted-assets.js';

export interface HostedBusiness {
  name: string;
  /** `https:`, `http:` on loopback, or a `data:image/…` URL. */
  logoUrl?: string | undefined;
  /** A language tag of BCP 47, for a page whose address names none. */
  locale?: string | undefined;
  appearance?: Appearance | undefined;
  /** Origins whose pages may frame the session; none: top-level only. */
  allowedOrigins: readonly string[];
}

export interface FoundSession {
  flow: HostedFlow;
  business: HostedBusiness;
  /** Its first form cannot do without what others read behind it. */
  needsAll?: boolean;
}

export interface HostedPageDeps {
  environment: SessionEnvironment;
  /** The session's flow and business unit, expired sessions too; null when there is no such session. */
  find(sessionId: string): Promise<FoundSession | null>;
  /** Origins that any business unit allows: they may frame the page that says that a session is unknown. */
  anyAllowedOrigins(): readonly string[];
  /** The business units whose sessions pages of this origin may frame. */
  framedBy(origin: string): readonly HostedBusiness[];
  readonly assets: () => HostedAssets;
}

/**
 * Routes of the hosted pages.
 *
 * @example
 * app.route('/', hostedPages({ environment: 'staging', find, anyAllowedOrigins, framedBy, assets }));
 */
export function hostedPages(deps: HostedPageDeps): Hono {
  const routes = new Hono();
  const compressed = compressOnce();
  const read = deps.assets;

  routes.get('/assets/:name', (c) => {
    const found = read().file(c.req.param('name'), accepts('br', c.req.header('accept-encoding')));
    if (found === null) {
      return c.text('Not found', 404, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    }
    return c.body(found.body, 200, {
      'content-type': found.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'Accept-Encoding',
      ...(found.brotli ? { 'content-encoding': 'br' } : {}),
    });
  });

  const originsFor = (business: HostedBusiness | undefined): string[] =>
    (business?.allowedOrigins ?? deps.anyAllowedOrigins()).map(originOf).filter(isString);

  routes.get('/s/:id/framing', async (c) =>
    framingPage(originsFor((await deps.find(c.req.param('id')))?.business)),
  );

  const send = (c: Context, html: Html, status: 200 | 404, headers: Record<string, string>): Response =>
    accepts('br', c.req.header('accept-encoding'))
      ? c.body(compressed(html.text), status, { ...headers, 'content-encoding': 'br' })
      : c.body(html.text, status, headers);

  const waiting = (c: Context): Response => {
    const origin = c.req.query('origin') ?? '';
    const tests = deps.environment !== 'production';
    const languageOf = ({ locale }: HostedBusiness): PageLanguage =>
      chooseLanguage({ ...asked(c.req), configured: locale, tests });
    const all = deps.framedBy(origin).filter((unit) => originsFor(unit).includes(origin));
    const language = all[0] && languageOf(all[0]);
    // No content is no page: the frame stays empty, and nobody is told of an error.
    if (language === undefined || all.length > MOST_BRANDS)
      return c.body(null, 204, { 'cache-control': 'no-store' });
    const asking = readLooks((name) => c.req.query(name));
    const assets = read();
    const brands = all
      .filter((unit) => languageOf(unit) === language)
      .map((business) => ({
        business,
        looks: { ...looksOf(business.appearance), ...asking },
        key: pageKey(business, assets),
      }));
    const built = { ...assets.page('payment', language), firstScript: assets.warmScript };
    // Of this one origin alone: each of the business units lets it frame its pages, and they need not agree on more.
    const html = document(
      { kind: 'flow', flow: 'payment' },
      { language, brands },
      built,
      [origin],
      deps.environment,
    );
    return send(c, html, 200, headersOf(html, brands, [origin]));
  };

  routes.get('/s/:id', async (c) => {
    const id = c.req.param('id');
    // No path of its own: beside a parameter it would keep the router from one look in a map.
    if (id === WARM) return waiting(c);
    const found = await deps.find(id).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'unavailable') return error;
      throw error;
    });
    if (found instanceof ServiceError) {
      const allowed = deps.anyAllowedOrigins().map(originOf).filter(isString);
      const wishes = { ...asked(c.req), configured: undefined, tests: deps.environment !== 'production' };
      const language = chooseLanguage(wishes);
      const { broken } = SHELL_TEXT[language];
      return c.html(
        `<!doctype html><html lang="${language}" dir="${directionOf(language)}" translate="no"><meta charset="utf-8"><title>503</title><p>${escape(broken)}</p>`,
        503,
        {
          'content-security-policy': `default-src 'none'; ${ancestorsOf(allowed)}`,
          'cache-control': 'no-store',
          'retry-after': String(found.retryAfter),
          ...ISOLATED,
        },
      );
    }
    const page: HostedPage =
      found === null
        ? { kind: 'problem', problem: ofOtherEnvironment(id, deps.environment) ? 'environment' : 'unknown' }
        : { kind: 'flow', flow: found.flow };
    const origins = originsFor(found?.business);
    const language = chooseLanguage({
      ...asked(c.req),
      configured: found?.business.locale,
      tests: deps.environment !== 'production',
    });
    const looks = {
      ...looksOf(found?.business.appearance),
      ...readLooks((name) => c.req.query(name)),
    };
    const built = read().page(page.kind === 'flow' ? page.flow : 'problem', language);
    const brands = [{ business: found?.business, looks }];
    const needsAll = found?.needsAll === true;
    const html = document(page, { language, brands, needsAll }, built, origins, deps.environment);
    return send(c, html, page.kind === 'flow' ? 200 : 404, headersOf(html, brands, origins));
  });

  return routes;
}

/** What the address and the browser say of the language. */
const asked = (request: HonoRequest) => ({
  asked: request.query('lang'),
  acceptLanguage: request.header('accept-language'),
});

/** Texts that are kept compressed. */
const MOST_TEXTS = 500;
/** Of a text that is compressed while its reader, and everybody else, waits. */
const AT_ONCE = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Texts compressed as well as can be, once each and beside the requests, one at a time; until that is done, as well as
 * holds up nobody. Anybody makes new texts: the looks in a page's address are in it.
 */
function compressOnce(): (text: string) => Uint8Array<ArrayBuffer> {
  const known = new Map<string, { body: Uint8Array<ArrayBuffer>; isBest: boolean }>();
  let busy = false;
  const improve = (text: string): void => {
    busy = true;
    brotliCompress(text, (error, best) => {
      busy = false;
      if (error === null && known.has(text)) known.set(text, { body: new Uint8Array(best), isBest: true });
    });
  };
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= MOST_TEXTS) known.delete(oldest);
      found = { body: new Uint8Array(brotliCompressSync(text, AT_ONCE)), isBest: false };
      known.set(text, found);
    }
    if (!found.isBest && !busy) improve(text);
    return found.body;
  };
}

/** More business units than this on one merchant's pages, and their page is not opened ahead of a session. */
const MOST_BRANDS = 8;

/** Changes with all that the HTML of this business unit's pages is made of. */
export function pageKey({ name, logoUrl, locale, appearance }: HostedBusiness, { id }: HostedAssets): string {
  return createHash('sha256')
    .update(JSON.stringify([name, logoUrl, locale, appearance, id]))
    .digest('hex')
    .slice(0, 16);
}

type HostedPage =
  | { kind: 'flow'; flow: HostedFlow }
  | { kind: 'problem'; problem: 'unknown' | 'environment' };

function ofOtherEnvironment(id: string, environment: SessionEnvironment): boolean {
  const named = environmentOfId(id);
  return named !== undefined && named !== environment;
}

/** Whose page it is, and how that looks. */
interface Brand {
  business: HostedBusiness | undefined;
  looks: Looks;
  /** Of a page that waits for a session of one of several. */
  key?: string;
}

interface Html {
  text: string;
  /** What its one inline script and its one inline rule hash to. */
  scriptHash: string;
  styleHash: string;
}

function document(
  page: HostedPage,
  {
    language,
    brands,
    needsAll = false,
  }: { language: PageLanguage; brands: readonly Brand[]; needsAll?: boolean },
  built: PageAssets,
  origins: readonly string[],
  environment: string,
): Html {
  const text = SHELL_TEXT[language];
  const ahead = needsAll && built.late !== undefined ? [built.late.script, built.late.words] : [];
  const title = text.titles[page.kind === 'flow' ? page.flow : 'problem'];
  const [{ business, looks } = { business: undefined, looks: {} }, other] = brands;
  const { scheme } = looks;
  const dataScheme = scheme === undefined ? '' : ` data-scheme="${scheme}"`;
  const style = brands
    .map(({ looks, key }) => {
      const rule = looksRule(looks);
      return other === undefined ? rule : rule.replaceAll(':root', `:root[data-key="${key}"]`);
    })
    .join('');
  const data =
    page.kind === 'flow'
      ? `data-flow="${page.flow}"`
      : `data-problem="${page.problem}" data-environment="${environment}"`;
  const name = business === undefined || other !== undefined ? '' : ` · ${nameOf(business)}`;
  return {
    text: `<!doctype html><html lang="${language}" dir="${directionOf(language)}"${dataScheme} ${data} data-broken="${escape(text.broken)}" translate="no"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="${scheme ?? 'light dark'}"><meta name="robots" content="noindex"><link rel="icon" href="data:,"><meta name="allowed-origins" content="${escape(origins.join(' '))}"><title>${escape(title + name)}</title><script>${built.firstScript}</script><style>${style}</style>${built.styles.map((name) => `<link rel="stylesheet" href="../assets/${name}">`).join('')}<script type="module" src="../assets/${built.script}"></script><link rel="modulepreload" id="catalog" href="../assets/${built.catalog}"${built.late === undefined ? '' : ` data-late="../assets/${built.late.script}" data-after="../assets/${built.late.words}"${needsAll ? ' data-all' : ''}`}>${built.modules
      .concat(ahead)
      .map((name) => `<link rel="modulepreload" href="../assets/${name}">`)
      .join(
        '',
      )}</head><body>${brands.map((brand) => headerOf(brand, title, text.titles.payment)).join('')}<main id="page"><h1 class="visually-hidden">${escape(title)}</h1><noscript><p class="notice">${escape(text.noScript)}</p></noscript><div class="skeleton" role="status" aria-label="${escape(text.loading)}"><i></i><i></i><i></i><i></i><i></i></div></main></body></html>`,
    scriptHash: hashSource(built.firstScript),
    styleHash: hashSource(style),
  };
}

function headerOf({ business, key }: Brand, title: string, service: string): string {
  // Of no business unit: in a dialog its button to close stands over this line, and nothing else.
  if (business === undefined)
    return `<header class="brand"><div><p class="brand-name">${escape(service)}</p></div></header>`;
  const logo = logoOf(business);
  const data = key === undefined ? '' : ` data-key="${key}"`;
  return `<header class="brand"${data}>${logo === undefined ? '' : `<img class="brand-logo" src="${escape(logo)}" alt="">`}<div><p class="brand-name"><bdi>${escape(nameOf(business))}</bdi></p><p class="brand-flow" role="status">${escape(title)}</p></div></header>`;
}

function nameOf({ name }: HostedBusiness): string {
  return inert(name, MAX_BUSINESS_NAME);
}

function headersOf(html: Html, brands: readonly Brand[], origins: readonly string[]): Record<string, string> {
  const logos = brands.map(({ business }) => business && logoOf(business)).filter(isString);
  const images = logos.filter((logo) => !logo.startsWith('data:')).map((logo) => new URL(logo).origin);
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${html.scriptHash}`,
    `style-src 'self' ${html.styleHash}`,
    // `data:` for the empty icon too, without which browsers ask for one and complain.
    `img-src ${['data:', ...new Set(images)].join(' ')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ancestorsOf(origins),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    // Whatever opened the page as a window has no hold on it; in a frame it says nothing.
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...ISOLATED,
    // A logo of another host need not say that it may be shown here; Safari knows no such page and shows it as ever.
    ...(images.length === 0 ? {} : { 'cross-origin-embedder-policy': 'credentialless' }),
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    vary: 'Accept-Language, Accept-Encoding',
  };
}

const ancestorsOf = (origins: readonly string[]): string =>
  `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(' ')}`;

/** The origin alone, so that nothing else of a configured value reaches a header; undefined when it is none. */
function originOf(value: string): string | undefined {
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? undefined : origin;
}

function logoOf({ logoUrl: value = '' }: HostedBusiness): string | undefined {
  if (/^data:image\/[a-z+.-]+[;,]/i.test(value)) return value;
  return /^https?:/i.test(value) && originOf(value) !== undefined ? new URL(value).href : undefined;
}

function isString(value: string | undefined): value is string {
  return value !== undefined;
}

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * `GET /s/{id}`: the HTML of a hosted page, and `/assets/*`, the files it refers to. The HTML knows the business unit
 * and the flow and nothing of the payer: what the session holds is asked for by the page, with its secret.
 */
import { brotliCompressSync } from 'node:zlib';
import { Hono, type HonoRequest } from 'hono';
import { ServiceError } from '../../domain/error.js';
import { environmentOfId, type SessionEnvironment } from '../../shared/environment.js';
import { inert } from '../../shared/inert.js';
import { MAX_BUSINESS_NAME } from '../../shared/limits.js';
import { directionOf, type PageLanguage } from '../../shared/languages.js';
import { readLooks, type Appearance, type Looks } from '../../shared/appearance.js';
import { accepts } from './encoding.js';
import { chooseLanguage } from './choose-language.js';
import { framingPage } from './framing-page.js';
import { hashSource } from './hash-source.js';
import { SHELL_TEXT, type HostedFlow } from './hosted-page-text.js';
import { looksOf, looksRule } from './looks.js';
import { builtPages, readAssets, type HostedAssets, type PageAssets } from './hosted-assets.js';

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

export interface HostedPageDeps {
  environment: SessionEnvironment;
  /** The session's flow and business unit, expired sessions too; null when there is no such session. */
  find(sessionId: string): Promise<{ flow: HostedFlow; business: HostedBusiness } | null>;
  /** Origins that any business unit allows: they may frame the page that says that a session is unknown. */
  anyAllowedOrigins(): readonly string[];
  /** Where the pages were built to; default: the package's `dist/pages`. */
  folder?: string;
}

/**
 * Routes of the hosted pages.
 *
 * @example
 * app.route('/', hostedPages({ environment: 'staging', find: (id) => sessions.hosted(id), anyAllowedOrigins: () => origins }));
 */
export function hostedPages(deps: HostedPageDeps): Hono {
  const routes = new Hono();
  let assets: HostedAssets | undefined;
  const compressed = compressOnce();
  const read = (): HostedAssets => (assets ??= readAssets(deps.folder ?? builtPages()));

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

  routes.get('/s/:id', async (c) => {
    const id = c.req.param('id');
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
        `<!doctype html><html lang="${language}" dir="${directionOf(language)}"><meta charset="utf-8"><title>503</title><p>${escape(broken)}</p>`,
        503,
        {
          'content-security-policy': `default-src 'none'; frame-ancestors ${allowed.length === 0 ? "'none'" : allowed.join(' ')}`,
          'cache-control': 'no-store',
          'retry-after': String(found.retryAfter),
        },
      );
    }
    const page: HostedPage =
      found === null
        ? { kind: 'problem', problem: ofOtherEnvironment(id, deps.environment) ? 'environment' : 'unknown' }
        : { kind: 'flow', ...found };
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
    const html = document(page, { language, looks }, built, origins, deps.environment);
    const headers = headersOf(html, page, origins);
    const status = page.kind === 'flow' ? 200 : 404;
    if (!accepts('br', c.req.header('accept-encoding'))) return c.body(html.text, status, headers);
    return c.body(compressed(html.text), status, { ...headers, 'content-encoding': 'br' });
  });

  return routes;
}

/** What the address and the browser say of the language. */
const asked = (request: HonoRequest) => ({
  asked: request.query('lang'),
  acceptLanguage: request.header('accept-language'),
});

/** Texts that are asked for again and again, compressed as well as can be, once each. */
const MOST_TEXTS = 500;

function compressOnce(): (text: string) => Uint8Array<ArrayBuffer> {
  const known = new Map<string, Uint8Array<ArrayBuffer>>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = new Uint8Array(brotliCompressSync(text));
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= MOST_TEXTS) known.delete(oldest);
    known.set(text, made);
    return made;
  };
}

type HostedPage =
  | { kind: 'flow'; flow: HostedFlow; business: HostedBusiness }
  | { kind: 'problem'; problem: 'unknown' | 'environment' };

function ofOtherEnvironment(id: string, environment: SessionEnvironment): boolean {
  const named = environmentOfId(id);
  return named !== undefined && named !== environment;
}

interface Html {
  text: string;
  /** What its one inline script and its one inline rule hash to. */
  scriptHash: string;
  styleHash: string;
}

function document(
  page: HostedPage,
  { language, looks }: { language: PageLanguage; looks: Looks },
  built: PageAssets,
  origins: readonly string[],
  environment: string,
): Html {
  const text = SHELL_TEXT[language];
  const business = page.kind === 'flow' ? page.business : undefined;
  const title = text.titles[page.kind === 'flow' ? page.flow : 'problem'];
  const scheme = looks.scheme === undefined ? '' : ` data-scheme="${looks.scheme}"`;
  const style = looksRule(looks);
  const logo = business?.logoUrl === undefined ? undefined : logoOf(business.logoUrl);
  const data =
    page.kind === 'flow'
      ? `data-flow="${page.flow}"`
      : `data-problem="${page.problem}" data-environment="${environment}"`;
  const brand =
    business === undefined
      ? ''
      : `<header class="brand">${logo === undefined ? '' : `<img class="brand-logo" src="${escape(logo)}" alt="">`}<div><p class="brand-name"><bdi>${escape(inert(business.name, MAX_BUSINESS_NAME))}</bdi></p><p class="brand-flow" role="status">${escape(title)}</p></div></header>`;
  return {
    text: `<!doctype html><html lang="${language}" dir="${directionOf(language)}"${scheme} ${data} data-broken="${escape(text.broken)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="${looks.scheme ?? 'light dark'}"><meta name="robots" content="noindex"><link rel="icon" href="data:,"><meta name="allowed-origins" content="${escape(origins.join(' '))}"><title>${escape(business === undefined ? title : `${title} · ${inert(business.name, MAX_BUSINESS_NAME)}`)}</title><script>${built.firstScript}</script><style>${style}</style>${built.styles.map((name) => `<link rel="stylesheet" href="../assets/${name}">`).join('')}<script type="module" src="../assets/${built.script}"></script><link rel="modulepreload" id="catalog" href="../assets/${built.catalog}"${built.late === undefined ? '' : ` data-late="../assets/${built.late.script}" data-after="../assets/${built.late.words}"`}>${built.modules.map((name) => `<link rel="modulepreload" href="../assets/${name}">`).join('')}</head><body>${brand}<main id="page"><h1 class="visually-hidden">${escape(title)}</h1><noscript><p class="notice">${escape(text.noScript)}</p></noscript><div class="skeleton" role="status" aria-label="${escape(text.loading)}"><i></i><i></i><i></i><i></i><i></i></div></main></body></html>`,
    scriptHash: hashSource(built.firstScript),
    styleHash: hashSource(style),
  };
}

function headersOf(html: Html, page: HostedPage, origins: readonly string[]): Record<string, string> {
  const logo =
    page.kind === 'flow' && page.business.logoUrl !== undefined ? logoOf(page.business.logoUrl) : undefined;
  // `data:` for the empty icon too, without which browsers ask for one and complain.
  const images = logo === undefined || logo.startsWith('data:') ? 'data:' : `data: ${new URL(logo).origin}`;
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${html.scriptHash}`,
    `style-src 'self' ${html.styleHash}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(' ')}`,
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
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    vary: 'Accept-Language, Accept-Encoding',
  };
}

/** The origin alone, so that nothing else of a configured value reaches a header; undefined when it is none. */
function originOf(value: string): string | undefined {
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? undefined : origin;
}

function logoOf(value: string): string | undefined {
  if (/^data:image\/[a-z+.-]+[;,]/i.test(value)) return value;
  return /^https?:/i.test(value) && originOf(value) !== undefined ? new URL(value).href : undefined;
}

function isString(value: string | undefined): value is string {
  return value !== undefined;
}

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

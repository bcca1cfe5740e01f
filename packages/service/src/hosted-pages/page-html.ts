/** The HTML of hosted pages, and the headers that restrict it. */
import { html, raw } from 'hono/html';
import type { BusinessUnit } from '../platform/config/config.js';
import { inert } from '../shared/inert.js';
import { MAX_BUSINESS_NAME } from '../shared/limits.js';
import {
  directionOf,
  htmlLanguage,
  TEST_LANGUAGES,
  type Language,
  type PageLanguage,
} from '../shared/languages.js';
import type { Texts } from '../shared/texts.generated.js';
import type { PageSession } from '../shared/page.js';
import { catalogOf, type CatalogPart } from '../texts/catalogs.js';
import { textsOf } from '../texts/texts.js';
import type { ResolvedAppearance } from '../shared/appearance.js';
import { hashSource, ISOLATED } from './headers.js';
import type { PageAssets } from './hosted-assets.js';
import { logoOrigins, logosOf } from './logo.js';
import { appearanceRules } from './appearance.js';

type HostedFlow = PageSession['flow'];

export type HostedBusiness = Pick<BusinessUnit, 'name' | 'allowedOrigins'> & Partial<BusinessUnit>;

/** A page's content: a flow, or the reason why a session can't be opened. */
type Shown = HostedFlow | 'unknown' | 'environment';

export interface PageParts {
  shown: Shown;
  sessionId: string;
  /** Absent if the page doesn't know its business unit (yet). */
  business?: HostedBusiness | undefined;
  language: PageLanguage;
  looks: ResolvedAppearance;
  assets: PageAssets;
  /** Origins that may frame the page, as `URL.origin` spells them, or `*`. Empty: top-level only. */
  origins: readonly string[];
  /** Test cards only; the header says that nothing is charged. */
  testMode: boolean;
  /** Origins of the processor's challenges (R-101). */
  frameOrigins?: readonly string[];
  operator?: string | undefined;
  /** Whether the logo's host is unknown. Listing all hosts would reveal business units (R-92). */
  anyLogo?: boolean;
}

const TITLES: Readonly<Record<HostedFlow | 'problem', (texts: Texts) => string>> = {
  payment: ({ shell }) => shell.payment,
  autopay: ({ manage }) => manage.autopay.title,
  wallet: ({ manage }) => manage.wallet.title,
  paperless: ({ manage }) => manage.paperless.title,
  'schedule-payment': ({ manage }) => manage.schedule.title,
  'scheduled-payments': ({ manage }) => manage.scheduled.title,
  notifications: ({ manage }) => manage.notifications.title,
  problem: ({ problem }) => problem.unknown.title,
};

/** Texts in the HTML before its script runs. English for test languages. */
function wordsOf({ language, business }: Pick<PageParts, 'language' | 'business'>): Texts {
  const spoken = TEST_LANGUAGES.find((each) => each === language) ? 'en' : (language as Language);
  return textsOf(spoken, business?.messages);
}

type Html = ReturnType<typeof html>;

export function pageHtml(parts: PageParts): { html: string; headers: Record<string, string> } {
  const style = appearanceRules(parts.looks);
  const script = parts.assets.firstScript;
  const page = html`<!doctype html>${openingTag(parts)}${headOf(parts, script, style)}${bodyOf(parts)}</html>`;

  return { html: textOf(page), headers: headersOf(parts, hashSource(script), hashSource(style)) };
}

/** Converts markup to text. Markup is a promise only if it contains one, and no page's does. */
export function textOf(markup: Html): string {
  if (markup instanceof Promise) throw new TypeError('The markup contains a promise.');
  return markup.toString();
}

/** The page shown if the service can't load a session. Needs no file of the build. */
export function unavailableHtml(language: PageLanguage): { html: string; headers: Record<string, string> } {
  const { broken } = wordsOf({ language }).shell;
  const page = html`<!doctype html>
    <html lang="${htmlLanguage(language)}" dir="${directionOf(language)}" translate="no">
      <meta charset="utf-8">
      <title>503</title>
      <p>${broken}</p>
    </html>`;

  return {
    html: textOf(page),
    headers: {
      // Any page may frame it, because it has no session data and naming origins would reveal them (R-92).
      'content-security-policy': "default-src 'none'; frame-ancestors *",
      'cache-control': 'no-store',
      ...ISOLATED,
    },
  };
}

function openingTag(parts: PageParts): Html {
  const { shown, language, looks } = parts;
  const scheme = looks.scheme && html` data-scheme="${looks.scheme}"`;
  const purpose = pageOf(shown) === 'problem' ? html`data-problem="${shown}"` : html`data-flow="${shown}"`;
  const header = looks.showHeader === false && html` data-header="none"`;
  const { broken } = wordsOf(parts).shell;
  // For screens without a session. Other screens get this from the session.
  const legal = JSON.stringify({ operator: parts.operator, links: parts.business?.links });

  return html`<html lang="${htmlLanguage(language)}" dir="${directionOf(language)}"${scheme}${header} ${purpose} data-broken="${broken}" data-legal="${legal}" translate="no">`;
}

function headOf(parts: PageParts, script: string, style: string): Html {
  const { assets, business, looks, origins } = parts;
  const title = titleOf(parts) + (business === undefined ? '' : ` · ${nameOf(business)}`);
  const catalog = textsAt(parts, catalogOf(pageOf(parts.shown)), assets.catalog);
  const after = assets.after && html` data-after="../${textsAt(parts, 'after', assets.after)}"`;

  return html`<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="color-scheme" content="${looks.scheme ?? 'light dark'}">
    <meta name="robots" content="noindex">
    <link rel="icon" href="data:,">
    <meta name="allowed-origins" content="${origins.join(' ')}">
    <title>${title}</title>
    <script>${raw(script)}</script>
    <style>${raw(style)}</style>
    ${stylesheets(assets.styles)}
    <script type="module" src="../assets/${assets.script}"></script>
    <link rel="modulepreload" id="catalog" href="../${catalog}"${after}>
    ${assets.modules.map((name) => html`<link rel="modulepreload" href="../assets/${name}">`)}
  </head>`;
}

export function stylesheets(names: readonly string[]): Html[] {
  return names.map((name) => html`<link rel="stylesheet" href="../assets/${name}">`);
}

/** The URL of a page's texts. A business unit with replacements has files of its own. */
function textsAt({ business, language, sessionId }: PageParts, part: CatalogPart, file: string): string {
  return business?.messages?.[language as Language] === undefined
    ? `assets/${file}`
    : `s/${sessionId}/texts/${part}.${language}.js`;
}

const FIELD = '<i class="control"></i>';
const PAIR = `<div class="pair">${FIELD}${FIELD}</div>`;
const WIDE = PAIR.replace('pair', 'pair wide');

/**
 * Shown until the session has loaded: an amount or title, the merchant's optional fields, the methods and fields of a payment
 * by card, and a button. Most sessions come with the required fields. Without the optional ones, the rows match those of the
 * SDK's skeleton (sdk/styles.ts).
 */
function blocksOf({ shown, business }: PageParts): string {
  const asked = shown === 'payment' ? (business?.paymentFields ?? []) : [];
  const left = asked.filter(({ required }) => !required).length;
  const own = left > 0 ? `<div class="fields">${FIELD.repeat(left)}</div>` : '';
  return (
    `<i></i><div class="card">${own}<div class="fields source">${PAIR}${FIELD}${PAIR}${WIDE}</div>` +
    '<div class="pay-bar"><i class="button"></i></div></div>'
  );
}

function bodyOf(parts: PageParts): Html {
  const text = wordsOf(parts).shell;
  const title = titleOf(parts);
  const skeleton = html`<div class="skeleton payment" role="status" aria-label="${text.loading}">${raw(blocksOf(parts))}</div>`;

  return html`<body>
    ${brandOf(parts, encodeURIComponent(parts.sessionId))}
    <main id="page">
      <h1 class="visually-hidden">${title}</h1>
      <noscript><p class="notice">${text.noScript}</p></noscript>
      ${skeleton}
    </main>
  </body>`;
}

/** The header with the payee, and a line for the remaining time. `logosAt` is the session's page, relative to this one. */
export function brandOf(
  parts: Pick<PageParts, 'business' | 'language' | 'looks' | 'testMode'>,
  logosAt: string,
): Html {
  const { business } = parts;
  const text = wordsOf(parts).shell;
  const testMode = parts.testMode && html`<p class="test-mode">${text.testMode}</p>`;
  // Without a name, the line only makes room for a dialog's close button.
  if (business === undefined)
    return html`<header class="brand"><div><p class="brand-name">${text.payment}</p></div>${testMode}</header>`;

  const shape = business.logoShape === 'wordmark' && html` data-logo="wordmark"`;
  return html`<header class="brand"${shape}>
    ${imageOf(parts, business, logosAt)}
    <div>
      <p class="brand-name"><bdi>${nameOf(business)}</bdi></p>
    </div>
    ${testMode}
    <p class="brand-flow" role="status"></p>
  </header>`;
}

/** The footer of a page without a script: who runs the service, and the business unit's links. */
export function legalOf({
  business,
  language,
  operator,
}: Pick<PageParts, 'business' | 'language' | 'operator'>): Html {
  const { common } = wordsOf({ business, language }).shared;
  const { terms, privacy, help } = business?.links ?? {};
  const link = (label: string, href?: string) =>
    href && html`<a href="${href}" target="_blank" rel="noreferrer">${label}</a>`;
  return html`<footer class="legal">
    ${operator && html`<span>${common.operatedBy(inert(operator, 200))}</span>`}
    <span>${link(common.terms, terms)}${link(common.privacyPolicy, privacy)}${link(common.help, help)}</span>
  </footer>`;
}

function imageOf(
  { looks }: Pick<PageParts, 'looks'>,
  business: HostedBusiness,
  logosAt: string,
): Html | undefined {
  const { light, dark } = logosOf(business, logosAt);
  if (light === undefined) return undefined;

  const src = looks.scheme === 'dark' ? (dark ?? light) : light;
  // A wordmark contains the name, so the name is hidden unless the image fails to load.
  const image =
    business.logoShape === 'wordmark'
      ? html`<img class="brand-logo" src="${src}" alt="${nameOf(business)}" aria-hidden="true">`
      : html`<img class="brand-logo" src="${src}" alt="">`;
  return dark === undefined || looks.scheme !== undefined
    ? image
    : html`<picture><source media="(prefers-color-scheme:dark)" srcset="${dark}">${image}</picture>`;
}

export const pageOf = (shown: Shown): HostedFlow | 'problem' =>
  shown === 'unknown' || shown === 'environment' ? 'problem' : shown;

function titleOf(parts: PageParts): string {
  return TITLES[pageOf(parts.shown)](wordsOf(parts));
}

export function nameOf({ name }: HostedBusiness): string {
  return inert(name, MAX_BUSINESS_NAME);
}

function headersOf(parts: PageParts, scriptHash: string, styleHash: string): Record<string, string> {
  const { business, origins, anyLogo = false, frameOrigins = [] } = parts;
  const foreignLogo = anyLogo ? 'https:' : (business && logoOrigins(business).join(' ')) || undefined;

  const policy = [
    "default-src 'none'",
    `script-src 'self' ${scriptHash}`,
    `style-src 'self' ${styleHash}`,
    // `data:` for the empty icon, because browsers would otherwise request one.
    `img-src 'self' data:${foreignLogo === undefined ? '' : ` ${foreignLogo}`}`,
    "connect-src 'self'",
    `frame-src ${["'self'", ...frameOrigins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(' ')}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    // Denies openers access to this window. Ignored in a frame.
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
    ...ISOLATED,
    // Lets logos load from hosts that don't opt in to embedding. Safari doesn't know this value but shows the logo anyway.
    ...(foreignLogo === undefined ? {} : { 'cross-origin-embedder-policy': 'credentialless' }),
    // Banks' pages don't opt in either, and an isolated page couldn't frame them.
    ...(frameOrigins.length === 0 ? {} : { 'cross-origin-embedder-policy': 'unsafe-none' }),
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    vary: 'Accept-Language, Accept-Encoding',
  };
}

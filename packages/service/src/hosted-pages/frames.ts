/**
 * Pages and scripts for frames, without data. `/framing` tells the SDK why a session's frame stays empty, which
 * browsers don't report.
 */
import { CHALLENGE_RETURNED } from '../shared/returned.js';
import { hashSource, ISOLATED } from './headers.js';

/** `GET /s/{id}/framing`: an empty page that anyone may frame. */
export function framingPage(): Response {
  return new Response('<!doctype html><html lang="en"><title>Framing</title></html>', {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *",
      'cache-control': 'no-store',
      ...ISOLATED,
    },
  });
}

/** Characters. More nested pages than anyone uses. */
const MAX_ORIGINS = 2_000;

/**
 * `GET /s/{id}/framing.js?origins=…`: a module that exports the first of these origins that may not frame the session, or
 * null. It never names an origin that the request did not contain.
 *
 * @param allowed as `URL.origin` spells them, or `*`
 */
export function refusedOrigin(origins: string, allowed: readonly string[]): Response {
  const pages = origins.slice(0, MAX_ORIGINS).split(',');
  const refused = pages.find((each) => !allowed.includes('*') && !allowed.includes(each)) ?? null;
  return new Response(`export default ${JSON.stringify(refused)};`, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      ...ISOLATED,
    },
  });
}

const RETURNED_SCRIPT = `parent.postMessage(${JSON.stringify({ type: CHALLENGE_RETURNED })},location.origin)`;

const RETURNED_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashSource(RETURNED_SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'cache-control': 'no-store',
  ...ISOLATED,
};

const RETURNED_HTML = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>…</title><script>${RETURNED_SCRIPT}</script></html>`;

/**
 * `/s/{id}/returned`: where a challenge sends its frame afterwards. It tells the payer's page around it, which then
 * asks for the outcome.
 */
export function returnedPage(): Response {
  return new Response(RETURNED_HTML, { headers: RETURNED_HEADERS });
}

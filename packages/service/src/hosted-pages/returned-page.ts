/**
 * `/s/{id}/returned`: where a challenge sends its frame afterwards. It tells the payer's page around it, which then
 * asks for the outcome. It contains no data, so any page may frame it.
 */
import { CHALLENGE_RETURNED } from '../shared/returned.js';
import { ISOLATED } from './framing-page.js';
import { hashSource } from './hash-source.js';

const SCRIPT = `parent.postMessage(${JSON.stringify({ type: CHALLENGE_RETURNED })},location.origin)`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashSource(SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'cache-control': 'no-store',
  ...ISOLATED,
};

const HTML = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>…</title><script>${SCRIPT}</script></html>`;

export function returnedPage(): Response {
  return new Response(HTML, { headers: HEADERS });
}

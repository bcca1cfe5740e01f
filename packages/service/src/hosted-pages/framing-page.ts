/**
 * `GET /s/{id}/framing`: tells whoever frames it whether they, and the pages around them, may frame the session's page,
 * which a browser does not say. It holds no more than the session's page shows to anybody: the origins that are allowed.
 */
import { hashSource } from './hash-source.js';

const SCRIPT = `addEventListener("message",({data,origin,source,ports:[port]})=>{if(source===parent&&port&&data?.type==="embedded-sessions:init"){const allowed=document.documentElement.dataset.origins.split(" "),refused=[origin,...location.ancestorOrigins??[]].find((each)=>!allowed.includes(each));port.postMessage({type:"framing",isAllowed:refused===undefined,refused})}})`;

/** Without these a merchant's page that is isolated from other origins (COEP) shows no frame of a page. */
export const ISOLATED = {
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
};

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashSource(SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  ...ISOLATED,
};

/** @param origins as `URL.origin` spells them */
export function framingPage(origins: readonly string[]): Response {
  const html = `<!doctype html><html lang="en" data-origins="${origins.join(' ')}"><title>Framing</title><script>${SCRIPT}</script></html>`;
  return new Response(html, { headers: HEADERS });
}

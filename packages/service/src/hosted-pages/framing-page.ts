/**
 * `GET /s/{id}/framing`: tells the page that frames it whether that page, and the pages around it, may frame the
 * session's page. Browsers don't say so themselves. It holds no more than the headers of the session's page.
 */
import { hashSource } from './hash-source.js';

const SCRIPT = `addEventListener("message",({data,origin,source,ports:[port]})=>{if(source===parent&&port&&data?.type==="embedded-sessions:init"){const allowed=document.documentElement.dataset.origins.split(" "),refused=[origin,...location.ancestorOrigins??[]].find((each)=>!allowed.includes("*")&&!allowed.includes(each));port.postMessage({type:"framing",isAllowed:refused===undefined,refused})}})`;

/** A merchant's page that isolates itself (COEP) shows only frames with these headers. */
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

/** @param origins as `URL.origin` spells them, or `*` */
export function framingPage(origins: readonly string[]): Response {
  const html = `<!doctype html><html lang="en" data-origins="${origins.join(' ')}"><title>Framing</title><script>${SCRIPT}</script></html>`;
  return new Response(html, { headers: HEADERS });
}

/** Serves the built inspector: one page for every screen, its script and its stylesheet. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { builtFolder } from '../../platform/built.js';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The response to a request for the page or its files; null for requests for data. */
export function inspectorPage(): (request: Request) => Response | null {
  const folder = builtFolder('inspector');
  const files = new Map<string, Buffer>();
  if (existsSync(folder))
    for (const name of readdirSync(folder)) files.set(`/inspector/${name}`, readFileSync(join(folder, name)));
  return (request) => {
    const { pathname } = new URL(request.url);
    const file = files.get(pathname);
    if (file) {
      const type = getMimeType(pathname) ?? 'application/octet-stream';
      return new Response(new Uint8Array(file), { headers: { ...HEADERS, 'content-type': type } });
    }
    if (!(request.headers.get('accept') ?? '').includes('text/html')) return null;
    return new Response(HTML, { headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' } });
  };
}

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Inspector</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4fc4'/%3E%3Cpath d='M3.5 9h2l1.5-4 2 7 1.5-3h2' fill='none' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/inspector/inspector.css">
<script type="module" src="/inspector/inspector.js"></script>
</head>
<body><main id="inspector"><noscript>The inspector needs JavaScript.</noscript></main></body>
</html>
`;

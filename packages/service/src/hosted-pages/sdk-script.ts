/** `GET /app/embedded.loader.js`: the SDK script, with its environment and base URL. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import type { Deps } from '../deps.js';
import { chooseEncoding, type Encoding } from './encoding.js';

type SdkScriptDeps = Pick<Deps, 'env' | 'publicUrl'>;

/** Merchants' pages keep the script's address for years. A fix must arrive the same day. */
const CACHE = 'public, max-age=600, stale-while-revalidate=86400';

/** The script's route. Absent in development, which serves only the Events API. */
export function sdkScript(deps: SdkScriptDeps, folder: string = builtApp()): Hono {
  const routes = new Hono();
  if (deps.env === 'development') return routes;
  let bodies: Record<Encoding, Uint8Array<ArrayBuffer>> | undefined;
  let etag = '';
  const read = (): NonNullable<typeof bodies> => {
    if (bodies !== undefined) return bodies;
    const text = `(()=>{const SERVICE_CONFIG=${configOf(deps)};${builtScript(folder)}})();`;
    etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    bodies = {
      br: new Uint8Array(brotliCompressSync(text)),
      gzip: new Uint8Array(gzipSync(text)),
      identity: new TextEncoder().encode(text),
    };
    return bodies;
  };

  routes.get('/app/embedded.loader.js', (c) => {
    const encodings = read();
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': CACHE,
      etag,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      // Any merchant's page may load it, also with `crossorigin` and from a page that isolates itself (COEP).
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'timing-allow-origin': '*',
    };
    const known = c.req.header('if-none-match') ?? '';
    if (known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
      return c.body(null, 304, headers);
    }
    const encoding = chooseEncoding(c.req.header('accept-encoding'));
    if (encoding !== 'identity') Object.assign(headers, { 'content-encoding': encoding });
    return c.body(encodings[encoding], 200, headers);
  });
  return routes;
}

function configOf({ env, publicUrl }: SdkScriptDeps): string {
  return JSON.stringify({ environment: env, base: publicUrl.replace(/\/+$/, '') });
}

function builtScript(folder: string): string {
  const file = join(folder, 'embedded.loader.js');
  if (!existsSync(file)) {
    throw new Error(`The SDK script is not built: no ${file}. Run \`npx -y pnpm@12 build\`.`);
  }
  return readFileSync(file, 'utf8').trim();
}

function builtApp(): string {
  const manifest = createRequire(import.meta.url).resolve('@embedded-sessions/service/package.json');
  return join(dirname(manifest), 'dist', 'app');
}

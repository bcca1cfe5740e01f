/**
 * The SDK script with its environment and base URL, and the module that it imports: texts in the payer's language
 * and code that no flow waits for.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import type { Deps } from '../deps.js';
import {
  directionOf,
  htmlLanguage,
  LANGUAGES,
  matchLanguage,
  type Language,
  MAX_TAGS,
} from '../shared/languages.js';
import { builtFolder } from '../platform/built.js';
import type { SdkWords } from '../shared/sdk-words.js';
import type { Texts } from '../shared/texts.generated.js';
import { chooseEncoding, type Encoding } from './headers.js';

type SdkScriptDeps = Pick<Deps, 'env' | 'publicUrl'>;

/** Merchants' pages use the script's URL for years, but a fix must arrive the same day. */
const CACHE = 'public, max-age=600, stale-while-revalidate=86400';

/** Any merchant's page may load them, even with `crossorigin` or if it isolates itself (COEP). */
const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': CACHE,
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'timing-allow-origin': '*',
};

/** Routes of the script and its texts. Absent in development, which serves only the Events API. */
export function sdkScript(deps: SdkScriptDeps, folder: string = builtFolder('app')): Hono {
  const routes = new Hono();
  if (deps.env === 'development') return routes;

  let script: ReturnType<typeof readScript> | undefined;
  let texts: Record<Language, Texts['sdk']> | undefined;
  let later: string | undefined;

  routes.get('/app/embedded.loader.js', (c) => {
    const { bodies, etag } = (script ??= readScript(deps, folder));
    const headers = { ...HEADERS, etag, vary: 'Accept-Encoding' };
    const known = c.req.header('if-none-match') ?? '';
    if (known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
      return c.body(null, 304, headers);
    }
    const encoding = chooseEncoding(c.req.header('accept-encoding'));
    if (encoding !== 'identity') Object.assign(headers, { 'content-encoding': encoding });
    return c.body(bodies[encoding], 200, headers);
  });

  routes.get('/app/words.js', (c) => {
    texts ??= JSON.parse(builtFile(folder, 'words.json')) as Record<Language, Texts['sdk']>;
    const tags = (c.req.query('lang') ?? '').split(',', MAX_TAGS);
    const language = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
    const words: SdkWords = {
      lang: htmlLanguage(language),
      dir: directionOf(language),
      ...texts[language],
    };
    later ??= builtFile(folder, 'later.js');
    return c.body(`export default ${JSON.stringify(words)};${later}`, 200, HEADERS);
  });
  return routes;
}

function readScript(
  deps: SdkScriptDeps,
  folder: string,
): { bodies: Record<Encoding, Uint8Array<ArrayBuffer>>; etag: string } {
  const text = `(()=>{const SERVICE_CONFIG=${configOf(deps)};${builtFile(folder, 'embedded.loader.js')}})();`;
  return {
    etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
    bodies: {
      br: new Uint8Array(brotliCompressSync(text)),
      gzip: new Uint8Array(gzipSync(text)),
      identity: new TextEncoder().encode(text),
    },
  };
}

function configOf({ env, publicUrl }: SdkScriptDeps): string {
  return JSON.stringify({ environment: env, base: publicUrl.replace(/\/+$/, '') });
}

function builtFile(folder: string, name: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) {
    throw new Error(`The SDK script is not built: no ${file}. Run \`npx -y pnpm@12 build\`.`);
  }
  return readFileSync(file, 'utf8').trim();
}

import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
import zlib, { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writePages } from '../../test/built-pages.js';
import { acceptedIn } from './headers.js';
import { readAssets } from './hosted-assets.js';
import type { HostedBusiness } from './page-html.js';
import { hostedPages } from './hosted-page.js';
import { unavailable } from '../core/error.js';
import { legibleText } from '../shared/accent.js';
import { COLOR_SCHEMES } from '../shared/appearance.js';
import type { SessionEnvironment } from '../shared/environment.js';
import { LANGUAGES, chooseLanguage } from '../shared/languages.js';
import type { Texts } from '../shared/texts.generated.js';
import { REVIEWED } from '../texts/texts.js';

let folder: string;

beforeAll(() => {
  folder = writePages();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pages(business: Partial<HostedBusiness> = {}, environment: SessionEnvironment = 'staging') {
  return hostedPages({
    environment,
    testMode: true,
    assets: () => readAssets(folder),
    find: async (id) =>
      id === 'stg_1'
        ? { flow: 'payment', business: { name: 'Harborlight Water', allowedOrigins: [], ...business } }
        : null,
  });
}
async function get(path: string, business?: Partial<HostedBusiness>, headers: Record<string, string> = {}) {
  const response = await pages(business).request(path, { headers });
  return {
    response,
    html: await response.text(),
    policy: response.headers.get('content-security-policy') ?? '',
  };
}
const sha = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Headers that let a page with COEP frame another. */
const isolationOf = ({ headers }: Response) => [
  headers.get('cross-origin-embedder-policy'),
  headers.get('cross-origin-resource-policy'),
];

it('R-61 R-92 shows a load error while the database is down, without naming an origin', async () => {
  const routes = hostedPages({
    environment: 'staging',
    testMode: true,
    assets: () => readAssets(folder),
    find: () => Promise.reject(unavailable(new Error('no answer'))),
  });
  const response = await routes.request('/s/stg_1', { headers: { 'accept-language': 'es' } });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(isolationOf(response)).toEqual(['require-corp', 'cross-origin']);
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors *");
  expect(await response.text()).toMatch(/lang="es".*No se pudo abrir/s);
});

describe('R-91 a page for a new URL', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const large = `data:image/png;base64,${randomBytes(1_500_000).toString('base64')}`;

  it('is small and compressed within 20 ms, however large the logo is', async () => {
    const routes = hostedPages({
      environment: 'staging',
      testMode: true,
      assets: () => readAssets(folder),
      find: async () => ({
        flow: 'payment',
        business: { name: 'Water', allowedOrigins: [], logoUrl: large },
      }),
    });
    const headers = { 'accept-encoding': 'br' };
    await routes.request('/s/stg_1', { headers });

    let [response, ms] = [new Response(), Infinity];
    for (let color = 100_001; color < 100_010; color++) {
      const from = performance.now();
      response = await routes.request(`/s/stg_1?accent=${color}`, { headers });
      ms = Math.min(ms, performance.now() - from);
    }
    expect(ms).toBeLessThan(20);

    const html = String(brotliDecompressSync(await response.arrayBuffer()));
    expect(html).toContain('<img class="brand-logo" src="stg_1/logo"');
    expect(html.length).toBeLessThan(5_000);
  });

  it('serves its logo from a file that cannot run scripts', async () => {
    const { response, html, policy } = await get('/s/stg_1/logo', {
      logoUrl: `data:image/svg+xml,${encodeURIComponent(svg)}`,
    });
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(html).toBe(svg);
    expect(policy).toMatch(/^default-src 'none';.*sandbox/);
  });

  it.each([{}, { logoUrl: 'https://cdn.example/logo.svg' }])('has no logo file for %j', async (business) => {
    expect((await get('/s/stg_1/logo', business)).response.status).toBe(404);
    expect((await get('/s/stg_2/logo', business)).response.status).toBe(404);
  });
});

describe('GET /s/{id}/framing', () => {
  it('can be framed by any page and is empty', async () => {
    const { response, html, policy } = await get('/s/stg_1/framing', {
      allowedOrigins: ['https://pay.example'],
    });
    expect(response.status).toBe(200);
    expect(policy).toContain('frame-ancestors *');
    expect(policy).toContain("default-src 'none'");
    expect(response.headers.get('x-frame-options')).toBeNull();
    expect(isolationOf(response)).toEqual(['require-corp', 'cross-origin']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(html).not.toMatch(/Harborlight|pay\.example|<script/);
  });
});

describe('GET /s/{id}/framing.js', () => {
  const allowedOrigins = ['https://pay.example', 'http://localhost:3000/', 'not an origin'];
  const refusedOf = async (id: string, origins: string): Promise<unknown> => {
    const { response, html } = await get(`/s/${id}/framing.js?origins=${encodeURIComponent(origins)}`, {
      allowedOrigins,
    });
    expect(response.headers.get('content-type')).toContain('text/javascript');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    return JSON.parse(/^export default (.*);$/.exec(html)?.[1] ?? '');
  };

  it('names the first origin that is not allowed to frame the session', async () => {
    expect(await refusedOf('stg_1', 'https://pay.example')).toBeNull();
    expect(await refusedOf('stg_1', 'https://pay.example,http://localhost:3000')).toBeNull();
    for (const origin of ['https://evil.example', 'null', '', 'not an origin', '</script>'])
      expect(await refusedOf('stg_1', origin)).toBe(origin);
    expect(await refusedOf('stg_1', 'https://pay.example,https://portal.example')).toBe(
      'https://portal.example',
    );
  });

  it('R-92 rejects no origin for an unknown session, which any page can frame', async () => {
    expect(await refusedOf('stg_none', 'https://evil.example')).toBeNull();
  });
});

describe('the HTML of a hosted page', () => {
  it('allows only inline scripts by hash and scripts of its own origin', async () => {
    const { html, policy, response } = await get('/s/stg_1');
    expect(policy).not.toContain('unsafe');
    for (const tag of ['script', 'style']) {
      const [inline = ''] = html.match(new RegExp(`(?<=<${tag}>)[^<]*`)) ?? [];
      expect(policy).toContain(sha(inline));
    }
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('vary')).toMatch(/Accept-Language/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('names the texts for later steps without preloading them', async () => {
    const { html } = await get('/s/stg_1');
    expect(html).toContain('data-after="../assets/after-en-1.js"');
    expect(html).not.toContain('href="../assets/after-en-1.js"');
  });

  it('can be framed only by the origins of its business unit', async () => {
    expect((await get('/s/stg_1')).policy).toContain("frame-ancestors 'none'");
    const { policy } = await get('/s/stg_1', {
      allowedOrigins: ['https://pay.example', 'http://localhost:5173'],
    });
    expect(policy).toContain('frame-ancestors https://pay.example http://localhost:5173;');
  });

  it('escapes configured values in markup and policy', async () => {
    const { html, policy } = await get('/s/stg_1', {
      name: '<script>alert(1)</script>\u202E"',
      logoUrl: 'javascript:alert(1)',
      appearance: { accent: 'red}</style>' },
      allowedOrigins: ['https://pay.example; script-src *'],
    });
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('\u202E');
    expect(html).not.toContain('javascript:');
    expect(policy).not.toContain('script-src *');
    const drawn = await get('/s/stg_1', { logoUrl: 'data:image/svg+xml,"><script>alert(1)</script>' });
    expect(drawn.html).toContain('src="stg_1/logo"');
    expect(drawn.html).not.toContain('alert(1)');
  });

  it('works in a cross-origin isolated page, with a logo of another host too', async () => {
    const isolated = async (business = {}) => isolationOf((await get('/s/stg_1', business)).response);
    expect(await isolated()).toEqual(['require-corp', 'cross-origin']);
    expect(await isolated({ logoUrl: 'data:image/png;base64,AA' })).toEqual(['require-corp', 'cross-origin']);
    expect(await isolated({ logoUrl: 'https://cdn.example/logo.svg' })).toEqual([
      'credentialless',
      'cross-origin',
    ]);
  });

  it('R-60 R-73 opts out of browser translation', async () => {
    expect((await get('/s/stg_1')).html).toMatch(/^<!doctype html><html [^>]*translate="no"/);
  });

  it('allows images only from its own origin and the logo’s', async () => {
    expect((await get('/s/stg_1')).policy).toContain("img-src 'self' data:;");
    const { policy } = await get('/s/stg_1', { logoUrl: 'https://cdn.example/logo.svg' });
    expect(policy).toContain("img-src 'self' data: https://cdn.example;");
    expect((await get('/s/stg_1', { logoUrl: 'data:image/png;base64,AA' })).policy).toContain(
      "img-src 'self' data:;",
    );
  });

  it('R-51 R-7 R-92 is a complete page for an unknown session and for another environment', async () => {
    const unknown = await get('/s/stg_2', { allowedOrigins: ['https://shop.example'] });
    expect(unknown.response.status).toBe(404);
    expect(unknown.html).toContain('data-problem="unknown"');
    expect(unknown.policy).toContain('frame-ancestors *;');
    expect(unknown.policy + unknown.html).not.toMatch(/shop\.example|Harborlight/);
    expect((await get('/s/prd_1')).html).toContain('data-problem="environment"');
  });

  it('uses the language of the browser', async () => {
    const { html } = await get('/s/stg_1', {}, { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' });
    expect(html).toContain('<html lang="es"');
    expect(html).toContain('es-1.js');
    expect(html).toContain('dir="ltr"');
    expect((await get('/s/stg_1?lang=ar')).html).toContain('<html lang="ar" dir="rtl"');
  });
});

describe('a page that opens before its session exists', () => {
  const SHOP = 'https://shop.example';
  const ask = (query: string, headers = {}) =>
    get(`/s/warm?${query}`, { name: 'Harborlight Water', allowedOrigins: [SHOP] }, headers);

  it('R-1 can be framed only by the origin in its URL', async () => {
    const { response, policy, html } = await ask(`origin=${SHOP}`);
    expect(response.status).toBe(200);
    expect(policy).toContain(`frame-ancestors ${SHOP};`);
    expect(html).toContain('<script>wait();</script>');
    expect(policy).toContain(sha('wait();'));
    expect(html).toContain('data-flow="payment"');
  });

  it('R-92 is the same for every origin, whether or not a business unit lists it', async () => {
    const [listed, stranger] = await Promise.all(
      [SHOP, 'https://stranger.example'].map(async (origin) => {
        const { response, html } = await ask(`origin=${origin}`);
        const text = JSON.stringify([response.status, html, ...response.headers]);
        return text.replaceAll(origin, 'ORIGIN');
      }),
    );
    expect(listed).toBe(stranger);
    expect(listed).not.toContain('Harborlight');
  });

  it.each([
    'scheme=light',
    'origin=no%20origin',
    'origin=https://*',
    'origin=https://a;sandbox',
    'origin=https://a,b',
    `origin=${SHOP}/`,
    'origin=javascript:alert(1)',
    'origin=null',
  ])('R-1 is empty for %s', async (query) => {
    const { response, html } = await ask(query);
    expect([response.status, html]).toEqual([204, '']);
  });

  it('R-70 has the appearance in its URL', async () => {
    const { html, policy } = await ask(`origin=${SHOP}&accent=%230a5c36&lang=es`);
    expect(html).toContain('--accent:#0a5c36');
    expect(html).toContain('<html lang="es"');
    expect(policy).toContain("img-src 'self' data: https:;");
  });
});

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['xx', 'en'],
    ['es', 'es'],
    ['en;q=0.5, es', 'es'],
    ['xx, es;q=0', 'en'],
    ['*', 'en'],
    [',;;q=,', 'en'],
    ['fr-CA, en', 'fr'],
    ['pt-BR', 'pt'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-Hant-HK', 'zh-Hant'],
    ['zh-HK;q=0.9, vi;q=0.8', 'zh-Hant'],
    ['zh-Hans-TW', 'zh-Hans'],
    ['yue', 'zh-Hant'],
    ['zh-yue', 'zh-Hant'],
    ['yue-HK', 'zh-Hant'],
    ['yue-Hans', 'zh-Hans'],
    ['yue-CN', 'zh-Hans'],
    ['zh-Hant-CN', 'zh-Hant'],
    ['zh_TW', 'zh-Hant'],
    ['cmn-Hans', 'zh-Hans'],
    ['cmn-Hant-TW', 'zh-Hant'],
    ['fil-PH', 'tl'],
    ['ht', 'ht'],
    ['ar-EG', 'ar'],
    ['en-XA', 'en'],
  ])('R-70 resolves Accept-Language %j to %s', (header, language) => {
    expect(chooseLanguage({ accepted: acceptedIn(header) })).toBe(language);
  });

  it('R-70 is one of those the business unit offers', () => {
    const offered = ['es', 'fr'] as const;
    expect(chooseLanguage({ requested: 'ko', accepted: ['fr'], offered })).toBe('fr');
    expect(chooseLanguage({ requested: 'ko', configured: 'en', accepted: ['ru'], offered })).toBe('es');
    expect(chooseLanguage({ accepted: ['ru'], offered: ['en', 'es'] })).toBe('en');
    // it reads no more languages than browsers send.
    expect(chooseLanguage({ accepted: acceptedIn(`${'x,'.repeat(19)}es`) })).toBe('es');
    expect(chooseLanguage({ accepted: acceptedIn(`${'x,'.repeat(20)}es`) })).toBe('en');
  });

  it('R-70 comes from the merchant, then the business unit, then the browser', () => {
    expect(chooseLanguage({ requested: 'es-MX', configured: 'en', accepted: ['en'] })).toBe('es');
    expect(chooseLanguage({ requested: 'xx', configured: 'es', accepted: ['en'] })).toBe('es');
    expect(chooseLanguage({ requested: '"><script>', accepted: ['es'] })).toBe('es');
  });

  it('can be a pseudo-locale outside production', async () => {
    expect((await get('/s/stg_1?lang=ar-XB')).html).toContain('<html lang="ar-XB" dir="rtl"');
    const inProduction = await pages({}, 'production').request('/s/stg_1?lang=ar-XB');
    expect(await inProduction.text()).toContain('<html lang="en" dir="ltr"');
  });
});

describe('R-70 the appearance of a page', () => {
  it('is part of the initial HTML', async () => {
    const { html, policy } = await get('/s/stg_1?scheme=dark&accent=%230a7d32&radius=3&font=serif&lang=es');
    expect(html).toContain('<html lang="es" dir="ltr" data-scheme="dark"');
    expect(html).toContain('<meta name="color-scheme" content="dark">');
    expect(html).toContain('--accent:#0a7d32');
    expect(html).toContain('--radius:3px');
    expect(html).toContain('ui-serif');
    expect(policy).toContain(sha(/<style>([^<]*)/.exec(html)?.[1] ?? ''));
  });

  it('defaults to that of the business unit', async () => {
    const appearance = { colorScheme: 'light', accent: '#0a7d32', radius: 0 } as const;
    const own = await get('/s/stg_1', { appearance, locale: 'es' });
    expect(own.html).toContain('<html lang="es" dir="ltr" data-scheme="light"');
    expect(own.html).toContain('--radius:0px');
    const page = await get('/s/stg_1?scheme=dark&accent=112233', { appearance });
    expect(page.html).toContain('data-scheme="dark"');
    expect(page.html).toContain('--accent:#112233');
    expect((await get('/s/stg_1', { appearance: { colorScheme: 'auto' } })).html).not.toContain(
      'data-scheme',
    );
  });

  it('R-70 fits an inline form into the surrounding page', async () => {
    const query = 'background=transparent&text=112233&border=%23445566&fontFamily=Inter,%20sans-serif';
    const { html } = await get(`/s/stg_1?${query}&showHeader=false`);
    expect(html).toContain('data-header="none"');
    expect(html).toContain(
      '--font:"Inter",sans-serif,system-ui,sans-serif;--background:transparent;--line:#445566;--edge:#445566',
    );
    for (const scheme of COLOR_SCHEMES)
      expect(html).toContain(
        `@media(prefers-color-scheme:${scheme}){html:root:root:root[data-framed][data-inline]{--ink:#112233;--ink-soft:#112233}}`,
      );
    const colored = await get('/s/stg_1?background=ffffff');
    expect(colored.html).toContain('--background:#ffffff;--inset:20px');
  });

  it.each([
    ['transparent', '[data-framed][data-inline]'],
    ['%23101828', '[data-framed]'],
  ])(
    'R-70 has the background %s only in frames, so text is legible elsewhere',
    async (background, frames) => {
      const { html } = await get(`/s/stg_1?background=${background}&text=%23ffffff&scheme=light`);
      const inkIn = (selector: string) =>
        /--ink:(#\w+)/.exec(html.split(`html:root:root:root${selector}{`)[1] ?? '')?.[1];
      expect(inkIn(frames)).toBe('#ffffff');
      expect(inkIn('')).toBe(legibleText('#ffffff', 'light'));
      expect(html).not.toMatch(/:root:root:root\{[^}]*--background/);
    },
  );

  it.each([
    ['light', '%23101828', legibleText('#55616f', 'light', '#101828')],
    ['light', '%23ffffff', undefined],
    ['dark', '%23ffffff', legibleText('#abb6c4', 'dark', '#ffffff')],
    ['dark', 'transparent', undefined],
  ])(
    'R-70 has legible text in a %s frame whose only color is the background %s',
    async (scheme, background, ink) => {
      const { html } = await get(`/s/stg_1?background=${background}&scheme=${scheme}`);
      expect(/--ink:(#\w+)/.exec(html)?.[1]).toBe(ink);
    },
  );

  it.each([
    ['text=%23abb6c4', legibleText('#abb6c4', 'light'), '#abb6c4'],
    ['text=%2355616f', '#55616f', legibleText('#55616f', 'dark')],
    ['background=%23101828', legibleText('#55616f', 'light', '#101828'), undefined],
  ])('R-70 has legible text with %s in each scheme of the system', async (query, light, dark) => {
    const { html } = await get(`/s/stg_1?${query}`);
    const inkIn = (scheme: string) =>
      new RegExp(`\\(prefers-color-scheme:${scheme}\\)\\{[^{]*\\{[^}]*--ink:(#\\w+)`).exec(html)?.[1];
    expect([inkIn('light'), inkIn('dark')]).toEqual([light, dark]);
    expect(html).not.toMatch(/<style>html[^{]*\{[^}]*--ink:/);
  });

  it('R-70 can include a logo for dark mode and a wordmark instead of the name', async () => {
    const urls = { logoUrl: 'https://a.example/l.svg', logoUrlDark: 'https://b.example/d.svg' };
    const own = await get('/s/stg_1', urls);
    expect(own.html).toContain(
      '<picture><source media="(prefers-color-scheme:dark)" srcset="https://b.example/d.svg"><img class="brand-logo" src="https://a.example/l.svg" alt=""></picture>',
    );
    expect(own.policy).toContain("img-src 'self' data: https://a.example https://b.example;");
    const dark = await get('/s/stg_1?scheme=dark', { ...urls, logoShape: 'wordmark' });
    expect(dark.html).toContain('<header class="brand" data-logo="wordmark">');
    expect(dark.html).toContain(
      '<img class="brand-logo" src="https://b.example/d.svg" alt="Harborlight Water" aria-hidden="true">',
    );
    const data = { logoUrl: 'data:image/png;base64,AA', logoUrlDark: 'data:image/png;base64,AAAA' };
    expect((await get('/s/stg_1?scheme=dark', data)).html).toContain('src="stg_1/logo?dark"');
    const file = await pages(data).request('/s/stg_1/logo?dark');
    expect((await file.arrayBuffer()).byteLength).toBe(3);
  });

  it.each([
    'background=red',
    'background=url(x)',
    'text=transparent',
    'accentDark=red',
    'border=%23fff%7D',
    'fontFamily=%22x%7D',
    'fontFamily=a;b',
    'fontFamily=,',
    'showHeader=no',
    'scheme=auto',
    'scheme=dark%22%20onload=',
    'accent=red',
    'accent=%23fff',
    'accent=%230a7d32%3B%7D',
    'radius=25',
    'radius=-1',
    'radius=1.5',
    'radius=1e1',
    'font=Comic%20Sans',
    'font=%3B%7D%3C/style%3E',
    'lang=%22%3E%3Cscript%3E',
    'scheme=&accent=&radius=&font=&lang=',
  ])('ignores invalid values: %s', async (query) => {
    expect((await get(`/s/stg_1?${query}`)).html).toBe((await get('/s/stg_1')).html);
  });
});

describe('assets', () => {
  it('are cached for a year and compressed', async () => {
    const { response, html } = await get('/assets/app-1.js', {}, { 'accept-encoding': 'gzip, br' });
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(html).toBe('compressed');
    const gzip = await get('/assets/app-1.js', {}, { 'accept-encoding': 'gzip' });
    expect(gzip.response.headers.get('content-encoding')).toBe('gzip');
    expect(gzip.html).toBe('gzipped');
    expect((await get('/assets/app-1.js')).html).toBe('export {};');
  });

  it.each(['/assets/app-1.js.br', '/assets/..%2f.vite%2fmanifest.json', '/assets/none.js'])(
    'answer 404 for %s',
    async (path) => {
      expect((await get(path)).response.status).toBe(404);
    },
  );

  it('report what to do if nothing was built', async () => {
    const empty = hostedPages({
      environment: 'staging',
      testMode: true,
      assets: () => readAssets(tmpdir()),
      find: async () => null,
    });
    empty.onError((error, c) => c.text(error.message, 500));
    expect(await (await empty.request('/assets/x.js')).text()).toContain('not built');
  });
});

describe('R-70 a business unit that replaces texts', () => {
  const messages = { en: { 'payment.title': 'Your {business} bill', 'shell.testMode': 'Try it out' } };

  it('gets its own catalog in that language, with the default texts for the rest', async () => {
    const { html } = await get('/s/stg_1?lang=en', { messages });
    expect(html).toContain('id="catalog" href="../s/stg_1/texts/payment.en.js"');
    expect(html).toContain('data-after="../s/stg_1/texts/after.en.js"');
    expect(html).toContain('>Try it out<');
    const { response, html: code } = await get('/s/stg_1/texts/payment.en.js', { messages });
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const address = `data:text/javascript,${encodeURIComponent(code)}`;
    const { default: texts } = (await import(/* @vite-ignore */ address)) as { default: Texts };
    expect([texts.payment.title('Water'), texts.payment.total]).toEqual(['Your Water bill', 'Total']);
  });

  it('R-91 gets a catalog that is compressed once, however many others there are', async () => {
    const compress = vi.spyOn(zlib, 'brotliCompressSync');
    syncBuiltinESMExports();
    const units = Array.from({ length: 101 }, () => ({ en: { ...messages.en } }));
    for (const own of [...units, ...units]) {
      const headers = { 'accept-encoding': 'br' };
      const { response } = await get('/s/stg_1/texts/after.en.js', { messages: own }, headers);
      expect(response.headers.get('content-encoding')).toBe('br');
    }
    expect(compress).toHaveBeenCalledTimes(units.length);
    compress.mockRestore();
    syncBuiltinESMExports();
  });

  it('gets the default catalogs in other languages', async () => {
    const { html } = await get('/s/stg_1?lang=es', { messages });
    expect(html).toContain('href="../assets/es-1.js"');
    for (const [path, own] of [
      ['/s/stg_1/texts/payment.es.js', messages],
      ['/s/stg_1/texts/nothing.en.js', messages],
      ['/s/stg_1/texts/payment.en.js', undefined],
      ['/s/stg_2/texts/payment.en.js', messages],
    ] as const)
      expect((await get(path, own && { messages: own })).response.status).toBe(404);
  });
});

it('R-70 in production, pages of unknown sessions use a reviewed language', async () => {
  const routes = hostedPages({
    environment: 'production',
    testMode: false,
    assets: () => readAssets(folder),
    find: () => Promise.resolve(null),
  });
  const unreviewed = LANGUAGES.filter((language) => !REVIEWED.includes(language));
  for (const language of unreviewed)
    expect(await (await routes.request(`/s/prd_1?lang=${language}`)).text()).toContain('lang="en"');
});

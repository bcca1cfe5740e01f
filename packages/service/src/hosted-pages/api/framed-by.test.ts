import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { writePages } from '../../../test/built-pages.js';
import { config } from '../../../test/merchant.js';
import { open } from '../../../test/payer.js';
import { createApp } from '../../app.js';
import { startTestService, type OpenTestService } from '../../start/test-service.js';

const SHOP = 'https://shop.example';
const pages = writePages();
afterAll(() => rmSync(pages, { recursive: true, force: true }));
let service: OpenTestService;
let fetch: (input: string, init?: RequestInit) => Promise<Response>;
beforeEach(async () => {
  service = await startTestService({ config: config({ allowedOrigins: [SHOP] }) });
  const app = createApp(service.deps, pages);
  fetch = (input, init) => app.fetch(new Request(new URL(input, 'http://service.test'), init));
});
afterEach(() => service.close());

const ask = async (
  framer: string | undefined,
  flow: Parameters<typeof open>[1] = 'payment',
  secret?: string,
  query = '',
) => {
  const page = await open(fetch, flow);
  const response = await fetch(`/s/${page.id}/api/session${query}`, {
    headers: {
      authorization: `Bearer ${secret ?? page.secret}`,
      ...(framer === undefined ? {} : { 'x-framed-by': framer }),
    },
  });
  return { status: response.status, look: response.headers.get('x-page-look'), text: await response.text() };
};

it('R-1 R-70 a waiting page gets the session and its theme if the business unit lists the embedding origin', async () => {
  const shown = await ask(SHOP);
  expect(shown.status).toBe(200);
  expect(JSON.parse(shown.look ?? '')).toMatchObject({
    language: 'en',
    style: expect.stringContaining('--accent:') as string,
  });
  expect(shown.text).toContain('12345');
  expect(await ask(undefined)).toMatchObject({ status: 200, look: null });
});

it.each(['https://stranger.example', 'null', '', `${SHOP}/`, `${SHOP} https://stranger.example`])(
  'R-1 a waiting page embedded by %j learns nothing about the session',
  async (framer) => {
    const refused = await ask(framer);
    expect(refused).toMatchObject({ status: 421, look: null });
    expect(JSON.parse(refused.text)).toMatchObject({ ok: false, errors: [{ code: 'unauthorized' }] });
    expect(refused.text).not.toMatch(/12345|Harborlight/);
  },
);

it('R-1 a waiting page learns nothing about a session of another flow or with a wrong secret', async () => {
  expect((await ask(SHOP, 'wallet')).status).toBe(421);
  expect((await ask(SHOP, 'payment', 'wrong')).status).toBe(401);
});

it.each([
  ['?text=112233', false],
  ['?background=101828', false],
  ['?text=112233&scheme=dark', true],
  ['?text=112233&background=transparent', true],
])('R-70 a waiting page with %s has a theme: %s', async (query, hasTheme) => {
  const { status, look } = await ask(SHOP, 'payment', undefined, query);
  // Without a theme, it loads the session's own page, whose text depends on the payer's system.
  expect([status, look !== null]).toEqual([200, hasTheme]);
});

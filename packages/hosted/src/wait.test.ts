import { Window as HappyWindow } from 'happy-dom';
import { afterEach, expect, it, vi } from 'vitest';
import { kept } from './opening.js';
import { wait } from './wait.js';

const open: HappyWindow[] = [];
afterEach(async () => {
  for (const own of open.splice(0)) await own.happyDOM.close();
});

const WARM = 'https://pay.example/base/s/warm?scheme=light&origin=https%3A%2F%2Fshop.example';

/** A framed window at `url` that records its requests and answers them with `answer`. */
function windowAt(url: string, answer: () => Response = () => Response.error()) {
  const happy = new HappyWindow({ url });
  open.push(happy);
  happy.document.head.innerHTML =
    '<meta name="allowed-origins" content="https://shop.example"><meta name="color-scheme" content="light dark">';
  happy.document.body.innerHTML =
    '<header class="brand"><div><p class="brand-name">Payment</p></div></header>';
  happy.document.documentElement.lang = 'en';
  happy.document.title = 'Payment';
  const own = happy as unknown as Window & typeof globalThis;
  Object.defineProperty(own, 'parent', { value: {}, configurable: true });
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  own.fetch = async (url, init) => {
    requests.push({ url: url as string, init });
    return answer();
  };
  const reload = vi.spyOn(own.location, 'reload').mockReturnValue();
  const replace = vi.spyOn(own.location, 'replace').mockReturnValue();
  const comes = (fragment: string): void => {
    own.location.hash = fragment;
    own.dispatchEvent(new own.Event('hashchange'));
  };
  return { own, requests, reload, replace, comes };
}

const LOOK = { language: 'en', scheme: 'dark', style: '--accent:#0a5c36' };
const BODY = { ok: true, data: { business: { name: 'Gas', logoUrl: 'stg_1/logo' } } };

const session = (look: object = LOOK, body: object = BODY, status = 200) =>
  Response.json(body, { status, headers: { 'x-page-look': JSON.stringify(look) } });

it('R-1 R-2 moves the first session out of the address and requests it with the framing origin', async () => {
  const { own, requests, comes, reload } = windowAt(WARM, () => session());
  wait(own);
  comes('no session');
  comes('stg_1?scheme=light&renew=true/s3cret');
  const address = 'https://pay.example/base/s/stg_1?scheme=light&renew=true';
  expect(own.location.href).toBe(address);
  expect(kept(own)).toEqual({ secret: 's3cret' });
  await own.begun;
  expect(requests).toEqual([
    {
      url: '/base/s/stg_1/api/session?scheme=light&renew=true',
      init: {
        headers: { authorization: 'Bearer s3cret', 'x-framed-by': 'https://shop.example' },
        cache: 'no-store',
        signal: expect.any(AbortSignal),
      },
    },
  ]);
  expect(await own.opening).toEqual({ status: 200, body: BODY });
  expect(own.document.body.innerHTML).toBe(
    '<header class="brand"><img class="brand-logo" alt="" src="stg_1/logo"><div><p class="brand-name"><bdi>Gas</bdi></p><p class="brand-flow" role="status">Payment</p></div></header>',
  );
  expect(own.document.title).toBe('Payment · Gas');
  expect(own.document.documentElement.dataset['scheme']).toBe('dark');
  expect(own.document.documentElement.style.cssText).toContain('--accent');
  comes('stg_2/other');
  expect(requests).toHaveLength(1);
  expect(reload).not.toHaveBeenCalled();
});

it.each([
  ['is refused', () => session(LOOK, { ok: false }, 421)],
  ['speaks another language', () => session({ ...LOOK, language: 'es' })],
  [
    'has a logo that this page may not load',
    () => session(LOOK, { ok: true, data: { business: { name: 'Gas', logoUrl: 'http://localhost/x.svg' } } }),
  ],
  ['comes from a service without looks', () => Response.json(BODY)],
  ['cannot be fetched', () => Response.error()],
])('R-1 if its session %s, reloads as the session’s own page', async (_, answer) => {
  const { own, comes, reload } = windowAt(WARM, answer);
  wait(own);
  let hasBegun = false;
  void own.begun?.then(() => (hasBegun = true));
  comes('stg_1/s3cret');
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  expect(hasBegun).toBe(false);
  expect(own.opening).toBeUndefined();
  expect(kept(own)).toEqual({ secret: 's3cret' });
});

it('R-61 reloads as the session’s own page if its session times out', async () => {
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const { own, comes, reload } = windowAt(WARM);
  own.fetch = (_, init) =>
    new Promise((__, reject) =>
      init?.signal?.addEventListener('abort', () => reject(new Error('timed out'))),
    );
  wait(own);
  comes('stg_1/s3cret');
  expect(timeout.mock.calls).toEqual([[30_000]]);
  expect(reload).not.toHaveBeenCalled();
  late.abort();
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  timeout.mockRestore();
});

it('R-1 goes to the session’s page if loaded with a session, and does not wait at the top level', () => {
  const loaded = windowAt(`${WARM}#stg_1?scheme=light/s3cret`);
  wait(loaded.own);
  expect(loaded.replace.mock.calls).toEqual([['stg_1?scheme=light#s3cret']]);
  const alone = windowAt(WARM).own;
  Object.defineProperty(alone, 'parent', { value: alone });
  wait(alone);
  expect(alone.begun).toBeUndefined();
});

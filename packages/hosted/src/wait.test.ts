import { Window as HappyWindow } from 'happy-dom';
import { afterEach, expect, it, vi } from 'vitest';
import { historyState } from './page-state.js';
import { wait } from './wait.js';

const open: HappyWindow[] = [];
afterEach(async () => {
  for (const win of open.splice(0)) await win.happyDOM.close();
});

const WARM = 'https://pay.example/base/s/warm?scheme=light&origin=https%3A%2F%2Fshop.example';

/** A framed window at `url` that records its requests and responds with `respond`. */
function windowAt(url: string, respond: () => Response = () => Response.error()) {
  const happy = new HappyWindow({ url });
  open.push(happy);
  happy.document.head.innerHTML =
    '<meta name="allowed-origins" content="https://shop.example"><meta name="color-scheme" content="light dark">';
  happy.document.body.innerHTML =
    '<header class="brand"><div><p class="brand-name">Payment</p></div></header>';
  happy.document.documentElement.lang = 'en';
  happy.document.title = 'Payment';
  const win = happy as unknown as Window & typeof globalThis;
  Object.defineProperty(win, 'parent', { value: {}, configurable: true });
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  win.fetch = async (url, init) => {
    requests.push({ url: url as string, init });
    return respond();
  };
  const reload = vi.spyOn(win.location, 'reload').mockReturnValue();
  const replace = vi.spyOn(win.location, 'replace').mockReturnValue();
  const passSession = (fragment: string): void => {
    win.location.hash = fragment;
    win.dispatchEvent(new win.Event('hashchange'));
  };
  return { win, requests, reload, replace, passSession };
}

const LOOK = { language: 'en', scheme: 'dark', style: '--accent:#0a5c36' };
const BODY = { ok: true, data: { business: { name: 'Gas', logoUrl: 'stg_1/logo' } } };

const session = (look: object = LOOK, body: object = BODY, status = 200) =>
  Response.json(body, { status, headers: { 'x-page-look': JSON.stringify(look) } });

it('R-1 R-2 moves the first session out of the address and requests it with the framing origin', async () => {
  const { win, requests, passSession, reload } = windowAt(WARM, () => session());
  wait(win);
  passSession('no session');
  passSession('stg_1?scheme=light&renew=true/s3cret');
  const address = 'https://pay.example/base/s/stg_1?scheme=light&renew=true';
  expect(win.location.href).toBe(address);
  expect(historyState(win)).toEqual({ secret: 's3cret' });
  await win.opened;
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
  expect(await win.opening).toEqual({ status: 200, body: BODY });
  expect(win.document.body.innerHTML).toBe(
    '<header class="brand"><img class="brand-logo" alt="" src="stg_1/logo"><div><p class="brand-name"><bdi>Gas</bdi></p></div><p class="brand-flow" role="status"></p></header>',
  );
  expect(win.document.title).toBe('Payment · Gas');
  expect(win.document.documentElement.dataset['scheme']).toBe('dark');
  expect(win.document.documentElement.style.cssText).toContain('--accent');
  passSession('stg_2/other');
  expect(requests).toHaveLength(1);
  expect(reload).not.toHaveBeenCalled();
});

it.each([
  ['is refused', () => session(LOOK, { ok: false }, 421)],
  ['is in another language', () => session({ ...LOOK, language: 'es' })],
  [
    'has a logo that this page may not load',
    () => session(LOOK, { ok: true, data: { business: { name: 'Gas', logoUrl: 'http://localhost/x.svg' } } }),
  ],
  ['comes without the header for its appearance', () => Response.json(BODY)],
  ['cannot be fetched', () => Response.error()],
])('R-1 loads the session’s own page if the session %s', async (_, respond) => {
  const { win, passSession, reload } = windowAt(WARM, respond);
  wait(win);
  let isOpened = false;
  void win.opened?.then(() => (isOpened = true));
  passSession('stg_1/s3cret');
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  expect(isOpened).toBe(false);
  expect(win.opening).toBeUndefined();
  expect(historyState(win)).toEqual({ secret: 's3cret' });
});

it('R-61 loads the session’s own page if the session times out', async () => {
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const { win, passSession, reload } = windowAt(WARM);
  win.fetch = (_, init) =>
    new Promise((__, reject) =>
      init?.signal?.addEventListener('abort', () => reject(new Error('timed out'))),
    );
  wait(win);
  passSession('stg_1/s3cret');
  expect(timeout.mock.calls).toEqual([[30_000]]);
  expect(reload).not.toHaveBeenCalled();
  late.abort();
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  timeout.mockRestore();
});

it('R-1 navigates to the session’s page if loaded with a session, and does not wait at the top level', () => {
  const loaded = windowAt(`${WARM}#stg_1?scheme=light/s3cret`);
  wait(loaded.win);
  expect(loaded.replace.mock.calls).toEqual([['stg_1?scheme=light#s3cret']]);
  const alone = windowAt(WARM).win;
  Object.defineProperty(alone, 'parent', { value: alone });
  wait(alone);
  expect(alone.opened).toBeUndefined();
});

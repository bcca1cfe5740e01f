import { Window as HappyWindow } from 'happy-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { begin } from './begin.js';
import { historyState } from './page-state.js';
import { rememberAttempt } from './pages/flows/payment/machine.js';
import { rememberedAttempt } from './pages/kit/shell/attempt.js';

const open: HappyWindow[] = [];
afterEach(async () => {
  for (const win of open.splice(0)) await win.happyDOM.close();
});

/** A window at `url` that records its requests and responds with `body`. */
function windowAt(url: string, body: unknown = { ok: true }) {
  const happy = new HappyWindow({ url });
  open.push(happy);
  happy.document.documentElement.dataset['broken'] = 'It could not be loaded.';
  happy.document.body.innerHTML = '<main id="page">…</main>';
  const win = happy as unknown as Window & typeof globalThis;
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  win.fetch = async (url, init) => {
    requests.push({ url: url as string, init });
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status: 201 });
  };
  return { win, requests };
}

describe('the first script of a hosted page', () => {
  it('R-1 R-2 moves the secret from the address to the history entry and requests the session with it', async () => {
    const { win, requests } = windowAt('https://pay.example/base/s/stg_1?lang=fr#s3cret');
    begin(win);
    expect(win.location.href).toBe('https://pay.example/base/s/stg_1?lang=fr');
    expect(historyState(win)).toEqual({ secret: 's3cret' });
    expect(await win.opening).toEqual({ status: 201, body: { ok: true } });
    expect(requests).toEqual([
      {
        url: '/base/s/stg_1/api/session',
        init: {
          headers: { authorization: 'Bearer s3cret' },
          cache: 'no-store',
          signal: expect.any(AbortSignal),
        },
      },
    ]);
  });

  it('continues after a reload with the stored secret and attempt', async () => {
    const { win, requests } = windowAt('https://pay.example/s/stg_1');
    win.history.replaceState({ secret: 's3cret', attemptId: 'a1' }, '');
    begin(win);
    expect(historyState(win)).toEqual({ secret: 's3cret', attemptId: 'a1' });
    expect(await win.opening).not.toBeNull();
    expect(requests[0]?.init?.headers).toEqual({ authorization: 'Bearer s3cret' });
  });

  it('R-2 reloads and removes the secret from the address if the link is opened again', () => {
    const { win } = windowAt('https://pay.example/s/stg_1#s3cret');
    begin(win);
    const reload = vi.spyOn(win.location, 'reload').mockImplementation(() => undefined);
    win.dispatchEvent(new win.Event('hashchange'));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('requests nothing without a secret', () => {
    const { win, requests } = windowAt('https://pay.example/s/stg_1');
    begin(win);
    expect(win.opening).toBeUndefined();
    expect(requests).toEqual([]);
  });

  it('R-61 treats a late response as no response', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const { win } = windowAt('https://pay.example/s/stg_1#s3cret');
    win.fetch = async (_, init) => {
      init?.signal?.throwIfAborted();
      return Response.json({});
    };
    begin(win);
    expect(await win.opening).toBeNull();
    expect(timeout.mock.calls).toEqual([[30_000]]);
    timeout.mockRestore();
  });

  it('treats a response that is not JSON as no response', async () => {
    const { win } = windowAt('https://pay.example/s/stg_1#s3cret', '<html>');
    begin(win);
    expect(await win.opening).toBeNull();
  });

  it('shows an error if its script fails to load, but not if an image does', () => {
    const { win } = windowAt('https://pay.example/s/stg_1');
    begin(win);
    const fails = (tag: string, type = ''): void => {
      const element = Object.assign(win.document.createElement(tag), { type });
      win.document.body.append(element);
      element.dispatchEvent(new win.Event('error'));
    };
    fails('img');
    win.dispatchEvent(new win.Event('error'));
    // A script that an extension added.
    fails('script');
    expect(win.document.querySelector('#page')?.textContent).toBe('…');
    fails('script', 'module');
    expect(win.document.querySelector('#page')?.textContent).toBe('It could not be loaded.');
  });

  it('marks a framed page', () => {
    const alone = windowAt('https://pay.example/s/stg_1').win;
    begin(alone);
    expect(alone.document.documentElement.dataset['framed']).toBeUndefined();
    const framed = windowAt('https://pay.example/s/stg_1').win;
    Object.defineProperty(framed, 'parent', { value: alone });
    begin(framed);
    expect(framed.document.documentElement.dataset['framed']).toBe('');
  });
});

it('R-60 a recreated frame remembers an attempt in flight, but not one with an outcome', () => {
  const { win } = windowAt('https://pay.example/base/s/stg_1');
  for (const name of ['window', 'location', 'sessionStorage', 'history'] as const)
    vi.stubGlobal(name, name === 'window' ? win : win[name]);
  const anew = (): string | undefined => {
    win.history.replaceState(null, '');
    return rememberedAttempt();
  };
  rememberAttempt('attempt-1');
  expect([rememberedAttempt(), anew()]).toEqual(['attempt-1', 'attempt-1']);
  rememberAttempt(undefined);
  expect([rememberedAttempt(), anew()]).toEqual([undefined, undefined]);
  vi.unstubAllGlobals();
});

import { Window as HappyWindow } from 'happy-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { begin } from './begin.js';
import { kept } from './opening.js';
import { keepAttempt } from './pages/kit/shell/keep-attempt.js';
import { keptAttempt } from './pages/kit/shell/secret.js';

const open: HappyWindow[] = [];
afterEach(async () => {
  for (const own of open.splice(0)) await own.happyDOM.close();
});

/** A window at `url` that records its requests and answers them with `body`. */
function windowAt(url: string, body: unknown = { ok: true }) {
  const happy = new HappyWindow({ url });
  open.push(happy);
  happy.document.documentElement.dataset['broken'] = 'It could not be loaded.';
  happy.document.body.innerHTML = '<main id="page">…</main>';
  const own = happy as unknown as Window & typeof globalThis;
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  own.fetch = async (url, init) => {
    requests.push({ url: url as string, init });
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status: 201 });
  };
  return { own, requests };
}

describe('the first script of a hosted page', () => {
  it('R-1 R-2 takes the secret out of the address, keeps it for a reload, and asks for the session with it', async () => {
    const { own, requests } = windowAt('https://pay.example/base/s/stg_1?lang=fr#s3cret');
    begin(own);
    expect(own.location.href).toBe('https://pay.example/base/s/stg_1?lang=fr');
    expect(kept(own)).toEqual({ secret: 's3cret' });
    expect(await own.opening).toEqual({ status: 201, body: { ok: true } });
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

  it('continues after a reload with the kept secret and attempt', async () => {
    const { own, requests } = windowAt('https://pay.example/s/stg_1');
    own.history.replaceState({ secret: 's3cret', attemptId: 'a1' }, '');
    begin(own);
    expect(kept(own)).toEqual({ secret: 's3cret', attemptId: 'a1' });
    expect(await own.opening).not.toBeNull();
    expect(requests[0]?.init?.headers).toEqual({ authorization: 'Bearer s3cret' });
  });

  it('R-2 reloads if the link is entered again, and removes it from the address', () => {
    const { own } = windowAt('https://pay.example/s/stg_1#s3cret');
    begin(own);
    const reload = vi.spyOn(own.location, 'reload').mockImplementation(() => undefined);
    own.dispatchEvent(new own.Event('hashchange'));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('requests nothing without a secret', () => {
    const { own, requests } = windowAt('https://pay.example/s/stg_1');
    begin(own);
    expect(own.opening).toBeUndefined();
    expect(requests).toEqual([]);
  });

  it('R-61 treats a late response as no response', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const { own } = windowAt('https://pay.example/s/stg_1#s3cret');
    own.fetch = async (_, init) => {
      init?.signal?.throwIfAborted();
      return Response.json({});
    };
    begin(own);
    expect(await own.opening).toBeNull();
    expect(timeout.mock.calls).toEqual([[30_000]]);
    timeout.mockRestore();
  });

  it('treats a response that is not JSON as no response', async () => {
    const { own } = windowAt('https://pay.example/s/stg_1#s3cret', '<html>');
    begin(own);
    expect(await own.opening).toBeNull();
  });

  it('reports a script that cannot load, but not a picture', () => {
    const { own } = windowAt('https://pay.example/s/stg_1');
    begin(own);
    const fails = (tag: string, type = ''): void => {
      const element = Object.assign(own.document.createElement(tag), { type });
      own.document.body.append(element);
      element.dispatchEvent(new own.Event('error'));
    };
    fails('img');
    own.dispatchEvent(new own.Event('error'));
    // A script that an extension added.
    fails('script');
    expect(own.document.querySelector('#page')?.textContent).toBe('…');
    fails('script', 'module');
    expect(own.document.querySelector('#page')?.textContent).toBe('It could not be loaded.');
  });

  it('marks a framed page', () => {
    const alone = windowAt('https://pay.example/s/stg_1').own;
    begin(alone);
    expect(alone.document.documentElement.dataset['framed']).toBeUndefined();
    const framed = windowAt('https://pay.example/s/stg_1').own;
    Object.defineProperty(framed, 'parent', { value: alone });
    begin(framed);
    expect(framed.document.documentElement.dataset['framed']).toBe('');
  });
});

it('R-60 a recreated frame knows the attempt in flight, but not one with an outcome', () => {
  const { own } = windowAt('https://pay.example/base/s/stg_1');
  for (const name of ['window', 'location', 'sessionStorage', 'history'] as const)
    vi.stubGlobal(name, name === 'window' ? own : own[name]);
  const anew = (): string | undefined => {
    own.history.replaceState(null, '');
    return keptAttempt();
  };
  keepAttempt('attempt-1');
  expect([keptAttempt(), anew()]).toEqual(['attempt-1', 'attempt-1']);
  keepAttempt(undefined);
  expect([keptAttempt(), anew()]).toEqual([undefined, undefined]);
  vi.unstubAllGlobals();
});

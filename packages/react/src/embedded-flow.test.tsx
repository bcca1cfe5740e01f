// Tests what the component renders and which callbacks it calls.
import type { ReactElement } from 'react';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { createLoader } from '@embedded-sessions/loader';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedFlow, type SessionSource } from './index.js';
import {
  click,
  finish,
  InlineSubject,
  ModalSubject,
  neverReady,
  settle,
  stage,
  URL_1,
  URL_2,
} from '../test/subjects.js';

it('several inline flows and a modal can be open at once', async () => {
  const scene = stage(
    <>
      <EmbeddedFlow flow="wallet" session={URL_1} />
      <EmbeddedFlow flow="notifications" session={URL_2} />
      <ModalSubject session={URL_1} />
    </>,
  );
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  click('Pay');
  await waitFor(() => expect(scene.fake.flows).toHaveLength(3));
  await settle();
  expect(scene.fake.flows.map(({ kind }) => kind)).toEqual(['other', 'other', 'payment']);
});

it('its region is labelled with the flow’s name or the page’s label', async () => {
  stage(
    <>
      <EmbeddedFlow flow="schedule-payment" session={URL_1} />
      <EmbeddedFlow flow="wallet" session={URL_2} aria-label="Your cards" />
    </>,
  );
  await settle();
  expect(screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'))).toEqual([
    'schedule payment',
    'Your cards',
  ]);
});

it.each([
  ['vanish', 2],
  ['cancel', 1],
] as const)(
  'R-60 after a restore from the back-forward cache, a form that ended by %s has been opened %i times',
  async (how, times) => {
    const session = vi.fn(async () => URL_2).mockResolvedValueOnce(URL_1);
    const { fake, unmount } = stage(<EmbeddedFlow flow="payment" session={session} />);
    await waitFor(() => expect(fake.flows).toHaveLength(1));
    const restore = (persisted: boolean) =>
      act(async () => void dispatchEvent(Object.assign(new Event('pageshow'), { persisted })));
    // The restore may make the loader settle later.
    await restore(true);
    await act(async () => fake.flows[0]?.[how]());
    await settle();
    await restore(false);
    await settle();
    // The payment of the first session may have succeeded.
    expect(fake.flows.map(({ url }) => url)).toEqual([URL_1, URL_1].slice(0, times));
    expect(session).toHaveBeenCalledOnce();
    await act(async () => fake.flows[1]?.vanish());
    unmount();
    await settle();
    await restore(true);
    expect(fake.flows).toHaveLength(times);
  },
);

const restored = () =>
  act(async () => void dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));

it('R-60 shows a retried form again after a restore from the back-forward cache', async () => {
  const scene = stage(<EmbeddedFlow flow="payment" session={async () => URL_1} />);
  const first = await scene.opened();
  await finish(() => first.fail(new Error('broken')));
  act(() => void click('Try again'));
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await restored();
  await act(async () => scene.fake.flows[1]?.vanish());
  await waitFor(() => expect(scene.fake.flows).toHaveLength(3));
});

it('R-60 opens the restored session again if it failed at first', async () => {
  const session = vi.fn(async () => URL_2).mockResolvedValueOnce(URL_1);
  const { fake } = stage(<EmbeddedFlow flow="payment" session={session} />);
  await restored();
  await finish(() => fake.flows[0]!.vanish());
  await waitFor(() => expect(fake.flows).toHaveLength(2));
  await finish(() => fake.flows[1]!.fail(new Error('broken')));
  act(() => void click('Try again'));
  await waitFor(() => expect(fake.flows).toHaveLength(3));
  expect(fake.flows.map(({ url }) => url)).toEqual([URL_1, URL_1, URL_1]);
});

it('R-60 opens nothing after a restore from the back-forward cache if it was unmounted', async () => {
  const session = vi.fn(async () => URL_1);
  const { fake, unmount } = stage(<EmbeddedFlow flow="payment" session={session} />);
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  await restored();
  unmount();
  await act(async () => fake.flows[0]?.vanish());
  await settle();
  expect(session).toHaveBeenCalledOnce();
});

it('calls the latest callbacks, and new callbacks restart nothing', async () => {
  const calls: string[] = [];
  const subject = (turn: string): ReactElement => (
    <EmbeddedFlow
      flow="payment"
      session={async () => URL_1}
      onComplete={() => calls.push(`complete ${turn}`)}
      onSettled={() => calls.push(`settled ${turn}`)}
    />
  );
  const scene = stage(subject('first'));
  const flow = await scene.opened();
  scene.show(subject('second'));
  await settle();
  expect(scene.fake.flows).toHaveLength(1);
  await finish(() => flow.complete());
  expect(calls).toEqual(['complete second', 'settled second']);
});

it.each([{}, { sessionKey: 'bill 1' }])('with %j opens another session if its URL changes', async (key) => {
  const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} {...key} />);
  await scene.opened();
  scene.show(<EmbeddedFlow flow="payment" session={{ sessionUrl: URL_1 }} {...key} />);
  await settle();
  expect(scene.fake.flows).toHaveLength(1);
  scene.show(<EmbeddedFlow flow="payment" session={URL_2} {...key} />);
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await settle();
  expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([
    { type: 'settled', flow: 'payment', result: { status: 'unknown' } },
  ]);
});

it('opens another session if sessionKey or flow changes', async () => {
  const createSession = vi.fn(async () => URL_1);
  const keyed = (key: string): ReactElement => (
    <EmbeddedFlow flow="payment" session={() => createSession()} sessionKey={key} />
  );
  const scene = stage(keyed('bill 1'));
  await scene.opened();
  scene.show(keyed('bill 1'));
  await settle();
  expect(createSession).toHaveBeenCalledTimes(1);
  scene.show(keyed('bill 2'));
  await waitFor(() => expect(createSession).toHaveBeenCalledTimes(2));
  await settle();
  scene.show(<EmbeddedFlow flow="wallet" session={() => createSession()} sessionKey="bill 2" />);
  await waitFor(() => expect(scene.fake.flows.at(-1)!.kind).toBe('other'));
  await settle();
});

it.each([
  ['complete', 'onComplete', { status: 'completed', detail: undefined }],
  ['cancel', 'onCancel', { status: 'canceled', by: 'payer' }],
  ['expire', 'onExpire', undefined],
] as const)('an inline flow reports %s only through %s', async (how, name, result) => {
  const calls = { onComplete: vi.fn(), onCancel: vi.fn(), onExpire: vi.fn(), onError: vi.fn() };
  const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} {...calls} />);
  const flow = await scene.opened();
  await finish(() => flow[how]());
  for (const [each, call] of Object.entries(calls)) {
    expect(call.mock.calls, each).toEqual(each === name ? [result ? [result] : []] : []);
  }
});

it('removes a failed form and loads it again on retry', async () => {
  const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} />);
  const flow = await scene.opened();
  const region = screen.getByRole('region');
  expect(region.getAttribute('aria-busy')).toBe('false');
  await finish(() => flow.fail(new Error('broken')));
  expect(flow.container!.isConnected).toBe(false);
  expect(screen.getByRole('alert').textContent).toBe('This form could not be opened. Try again');
  act(() => void click('Try again'));
  expect(region.getAttribute('aria-busy')).toBe('true');
  expect(screen.queryByRole('alert')).toBeNull();
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await settle();
  expect(region.getAttribute('aria-busy')).toBe('false');
});

it.each(['complete', 'cancel', 'expire', 'vanish', 'fail'] as const)(
  'handles %s without callbacks',
  async (how) => {
    const errors: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => errors.push(error));
    try {
      const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} />);
      const flow = await scene.opened();
      await finish(() => (how === 'fail' ? flow.fail(new Error('broken')) : flow[how]()));
      await settle();
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    }
    expect(errors).toEqual([]);
  },
);

it('passes renderError the error and a function that retries with a new session', async () => {
  const reasons: string[] = [];
  const session = vi.fn(async ({ reason }: { reason: string }) => {
    reasons.push(reason);
    if (reasons.length === 1) throw new Error('the backend is down');
    return URL_1;
  });
  const scene = stage(
    <EmbeddedFlow
      flow="autopay"
      session={session}
      aria-label="Your AutoPay"
      renderError={({ error, retry }) => <button onClick={retry}>{`Retry after ${error.code}`}</button>}
    />,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Retry after session_failed' }));
  const region = screen.getByRole('region', { name: 'Your AutoPay' });
  expect(region.getAttribute('aria-busy')).toBe('true');
  expect(screen.queryByRole('button')).toBeNull();
  await scene.opened();
  expect(region.getAttribute('aria-busy')).toBe('false');
  expect(reasons).toEqual(['initial', 'retry']);
});

it('keeps the app if the browser translates the texts of `loading` and `renderError`', async () => {
  /** Chrome and Edge put each text into a `<font>`. */
  const translate = (text: string): void => {
    const parent = screen.getByText(text);
    const node = [...parent.childNodes].find(({ nodeValue }) => nodeValue === text)!;
    parent.insertBefore(document.createElement('font'), node).append(node);
  };
  let settleSession!: { resolve: (url: string) => void; reject: (error: Error) => void };
  let again!: () => void;
  const scene = stage(
    <EmbeddedFlow
      flow="payment"
      session={() => new Promise((resolve, reject) => (settleSession = { resolve, reject }))}
      loading="Please wait"
      renderError={({ retry }) => {
        again = retry;
        return 'It failed';
      }}
    />,
  );
  translate('Please wait');
  await act(async () => settleSession.reject(new Error('the backend is down')));
  await screen.findByText('It failed');
  translate('It failed');
  act(() => again());
  translate('Please wait');
  settleSession.resolve(URL_1);
  await scene.opened();
  await settle();
  expect(screen.getByRole('region').textContent).toBe('');
});

it('renders nothing if loading and error are null', async () => {
  const fake = createFakeLoader();
  const onError = vi.fn();
  render(
    <EmbeddedFlow
      flow="payment"
      session={async () => Promise.reject(new Error('down'))}
      loader={fake.loader}
      loading={null}
      renderError={() => null}
      onError={onError}
    />,
  );
  const region = screen.getByRole('region');
  expect(region.textContent).toBe('');
  await waitFor(() => expect(onError).toHaveBeenCalled());
  await settle();
  expect(region.textContent).toBe('');
});

it('calling retry twice, or later, starts only one attempt and removes no form', async () => {
  let retry!: () => void;
  let requests = 0;
  const scene = stage(
    <EmbeddedFlow
      flow="payment"
      session={async () => {
        if (requests++ === 0) throw new Error('the backend is down');
        return URL_1;
      }}
      renderError={(failure) => {
        ({ retry } = failure);
        return <p>Away</p>;
      }}
    />,
  );
  await screen.findByText('Away');
  act(() => {
    retry();
    retry();
  });
  const flow = await scene.opened();
  expect(flow.container!.isConnected).toBe(true);
  act(() => retry());
  await settle();
  expect(flow.container!.isConnected).toBe(true);
  await finish(() => flow.complete());
  act(() => retry());
  await settle();
  expect(flow.container!.isConnected).toBe(true);
  expect(scene.fake.flows).toHaveLength(1);
  expect(requests).toBe(2);
});

it('calling retry after the unmount requests nothing', async () => {
  let retry!: () => void;
  const session = vi.fn(() => Promise.reject(new Error('the backend is down')));
  const scene = stage(
    <EmbeddedFlow
      flow="payment"
      session={session}
      renderError={(failure) => {
        ({ retry } = failure);
        return <p>Away</p>;
      }}
    />,
  );
  await screen.findByText('Away');
  scene.show(null);
  await settle();
  act(() => retry());
  await settle();
  expect(session).toHaveBeenCalledTimes(1);
});

it.each([undefined, {}])('reports session_invalid while the session is %s, then shows it', async (none) => {
  const onError = vi.fn();
  const scene = stage(<EmbeddedFlow flow="payment" session={none as never} onError={onError} />);
  await settle();
  expect(onError.mock.calls).toMatchObject([[{ code: 'session_invalid' }]]);
  expect(screen.getByRole('alert')).toBeTruthy();
  scene.show(<EmbeddedFlow flow="payment" session={URL_1} onError={onError} />);
  expect((await scene.opened()).url).toBe(URL_1);
  expect(screen.queryByRole('alert')).toBeNull();
});

it.each<[string, SessionSource, { sessionKey?: string }]>([
  ['a URL', URL_1, {}],
  ['a URL under a key', URL_1, { sessionKey: 'bill 1' }],
  ['a function', async () => URL_1, {}],
  ['a function under a key', async () => URL_1, { sessionKey: 'bill 1' }],
])('session={null} shows busy and reports nothing until it is %s', async (_what, session, key) => {
  const callback = vi.fn();
  const calls = { onError: callback, onSettled: callback, onReady: callback };
  const scene = stage(<EmbeddedFlow flow="payment" session={null} {...key} {...calls} />);
  await settle();
  scene.show(<EmbeddedFlow flow="payment" session={null} {...key} {...calls} />);
  await settle();
  const region = screen.getByRole('region');
  expect(region.getAttribute('aria-busy')).toBe('true');
  expect(screen.getByRole('status').textContent).toBe('Loading…');
  expect(screen.queryByRole('alert')).toBeNull();
  scene.show(<EmbeddedFlow flow="payment" session={session} {...key} {...calls} onReady={() => {}} />);
  expect((await scene.opened()).url).toBe(URL_1);
  expect(callback).not.toHaveBeenCalled();
  expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([]);
  await finish(() => scene.fake.flows[0]!.complete());
  expect(callback).toHaveBeenCalledTimes(1);
});

it.each<[string, SessionSource, { sessionKey?: string }]>([
  ['a URL', URL_1, {}],
  ['a URL under a key', URL_1, { sessionKey: 'bill 1' }],
  ['a function', async () => URL_1, {}],
  ['a function under a key', async () => URL_1, { sessionKey: 'bill 1' }],
])(
  'session={null} after %s closes the form and shows busy until the next session',
  async (_what, session, key) => {
    const scene = stage(<EmbeddedFlow flow="payment" session={session} {...key} />);
    const flow = await scene.opened();
    scene.show(<EmbeddedFlow flow="payment" session={null} {...key} />);
    await settle();
    expect(flow.container!.isConnected).toBe(false);
    expect(screen.getByRole('region').getAttribute('aria-busy')).toBe('true');
    expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([
      { type: 'settled', flow: 'payment', result: { status: 'unknown' } },
    ]);
    scene.show(<EmbeddedFlow flow="payment" session={session} {...key} />);
    await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
    await settle();
    expect(screen.getByRole('region').getAttribute('aria-busy')).toBe('false');
  },
);

it('unmounts without a report if it never got a session', async () => {
  const scene = stage(<EmbeddedFlow flow="payment" session={null} />);
  await settle();
  scene.show(null);
  await settle();
  expect(scene.events).toEqual([]);
});

it.each([
  [undefined, '757px', ''],
  [{ minHeight: undefined, color: 'red' }, '757px', ''],
  [{ minHeight: 0 }, '0', '0'],
  [{ minHeight: '30rem' }, '30rem', '30rem'],
])(
  'with the style %j reserves a height of %s, and of %j when its frame has loaded',
  async (style, before, after) => {
    const show = (session: string | null) => (
      <EmbeddedFlow flow="payment" session={session} sessionKey="1" {...(style && { style })} />
    );
    const scene = stage(show(null));
    expect(screen.getByRole('region').style.minHeight).toBe(before);
    scene.show(show(URL_1));
    await waitFor(() => expect(screen.getByRole('region').getAttribute('aria-busy')).toBe('false'));
    expect(screen.getByRole('region').style.minHeight).toBe(after);
  },
);

it('is ready when its frame has loaded, even if the SDK never reports ready', async () => {
  const fake = createFakeLoader();
  stage(<InlineSubject session={URL_1} />, { fake: neverReady(fake) });
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  await settle();
  const region = screen.getByRole('region');
  expect(region.getAttribute('aria-busy')).toBe('true');
  const { container } = fake.flows[0]!;
  const image = container!.appendChild(document.createElement('img'));
  await finish(() => image.dispatchEvent(new Event('load')));
  expect(region.getAttribute('aria-busy')).toBe('true');
  // Not a real frame, because happy-dom would try to load it.
  const frame = container!.appendChild(document.createElement('x-frame'));
  Object.defineProperty(frame, 'tagName', { value: 'IFRAME' });
  await finish(() => frame.dispatchEvent(new Event('load')));
  expect(region.getAttribute('aria-busy')).toBe('false');
});

const opened: string[] = [];
/** An SDK that can't be closed, so the loader gives up on it. A page keeps the first SDK that it loads. */
const Service = {
  environment: 'staging',
  completePayment(url: string) {
    opened.push(url);
    return new Promise(() => {});
  },
};

it.each(['another session in its place', 'a modal on the next page'])(
  'with an SDK that opens one flow at a time, %s waits until the removed one has closed',
  async (then) => {
    opened.length = 0;
    Object.assign(window, { Service });
    const loader = createLoader({
      environment: 'staging',
      loaderUrl: 'https://pay.staging.example.com/app/embedded.loader.js',
    });
    const onSettled = vi.fn();
    const scene = stage(<InlineSubject session={URL_1} onSettled={onSettled} loader={loader} />);
    await waitFor(() => expect(opened).toEqual([URL_1]));
    if (then === 'another session in its place') {
      scene.show(<InlineSubject session={URL_2} onSettled={onSettled} loader={loader} />);
    } else {
      scene.show(<ModalSubject session={URL_2} onSettled={onSettled} loader={loader} />);
      click('Pay');
    }
    await waitFor(() => expect(opened).toEqual([URL_1, URL_2]));
    await settle();
    expect(onSettled).not.toHaveBeenCalled();
    expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([
      { type: 'settled', flow: 'payment', result: { status: 'unknown' } },
    ]);
    if (then === 'a modal on the next page') click('Abort');
    scene.show(null);
    await settle();
  },
);

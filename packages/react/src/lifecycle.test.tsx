// Mounting, unmounting and everything in between: the breaks that other bindings have.
import * as React from 'react';
import { StrictMode, useState, type ReactElement } from 'react';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import {
  EmbeddedFlow,
  EmbeddedProvider,
  useEmbeddedFlow,
  useEmbeddedPayment,
  type PaymentResult,
} from './index.js';
import {
  click,
  finish,
  InlineSubject,
  MATRIX,
  ModalSubject,
  settle,
  stage,
  SUBJECTS,
  URL_1,
  URL_2,
} from './subjects.fixture.js';

describe.each(MATRIX)('$kind, StrictMode $strict, loader by $from', ({ strict, from, kind }) => {
  const Subject = SUBJECTS[kind];

  function scene() {
    const fake = createFakeLoader();
    const session = vi.fn(async () => URL_1);
    const onSettled = vi.fn<(result: PaymentResult) => void>();
    const subject = (
      <Subject session={session} onSettled={onSettled} {...(from === 'option' && { loader: fake.loader })} />
    );
    const mode = strict ? <StrictMode>{subject}</StrictMode> : subject;
    const view = from === 'provider' ? stage(subject, { strict, fake }) : render(mode);
    return { fake, session, onSettled, view };
  }

  async function open(kindOf: typeof kind, fake: ReturnType<typeof createFakeLoader>) {
    if (kindOf === 'modal') click('Pay');
    await waitFor(() => expect(fake.flows).toHaveLength(1));
    await settle();
    return fake.flows[0]!;
  }

  it('R-4 asks for one session, opens one flow, tells its result once', async () => {
    const { fake, session, onSettled } = scene();
    const flow = await open(kind, fake);
    expect(flow).toMatchObject({ url: URL_1, kind: 'payment' });
    expect(flow.container?.isConnected).toBe(kind === 'inline' ? true : undefined);
    await finish(() => flow.complete({ Status: 'Succeeded' }));
    expect(onSettled.mock.calls).toEqual([[{ status: 'completed', detail: { Status: 'Succeeded' } }]]);
    expect(session).toHaveBeenCalledTimes(1);
    expect(fake.flows).toHaveLength(1);
  });

  it.each([
    ['cancel', { status: 'canceled', by: 'payer' }],
    ['expire', { status: 'expired' }],
  ] as const)('R-51 tells %s', async (how, result) => {
    const { fake, onSettled } = scene();
    const flow = await open(kind, fake);
    await finish(() => flow[how]());
    expect(onSettled.mock.calls).toEqual([[result]]);
  });

  it('tells a failure of the SDK as flow_failed', async () => {
    const { fake, onSettled } = scene();
    const flow = await open(kind, fake);
    await finish(() => flow.fail(new Error('broken')));
    expect(onSettled).toHaveBeenCalledTimes(1);
    expect(onSettled.mock.calls[0]![0]).toMatchObject({ status: 'failed', error: { code: 'flow_failed' } });
  });
});

describe.each([true, false])('StrictMode %s', (strict) => {
  it('settles no_loader, naming the fix, where there is neither provider nor option', async () => {
    const onSettled = vi.fn<(result: PaymentResult) => void>();
    const session = vi.fn(async () => URL_1);
    const modal = <ModalSubject session={session} onSettled={onSettled} />;
    render(strict ? <StrictMode>{modal}</StrictMode> : modal);
    click('Pay');
    await settle();
    const [[result]] = onSettled.mock.calls as [[PaymentResult]];
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'no_loader', message: expect.stringContaining('<EmbeddedProvider>') as string },
    });
    expect(screen.getByRole('status').textContent).toBe('settled failed no_loader');
    expect(session).not.toHaveBeenCalled();
  });

  it('shows no_loader inline, with no flow and no session', async () => {
    const onError = vi.fn();
    const inline = <EmbeddedFlow flow="wallet" session={URL_1} onError={onError} />;
    render(strict ? <StrictMode>{inline}</StrictMode> : inline);
    await settle();
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError.mock.calls[0]![0]).toMatchObject({ code: 'no_loader' });
    expect(screen.getByRole('alert')).toBeTruthy();
  });

  it('a modal outlives its component: unmounted while open, the verdict still arrives', async () => {
    const onSettled = vi.fn();
    const scene = stage(<ModalSubject session={URL_1} onSettled={onSettled} />, { strict });
    click('Pay');
    const flow = await scene.opened();
    scene.show(<p>another route</p>);
    await settle();
    await finish(() => flow.complete());
    expect(onSettled.mock.calls).toEqual([[{ status: 'completed', detail: undefined }]]);
    expect(scene.events.at(-1)).toEqual({
      type: 'settled',
      flow: 'payment',
      result: { status: 'completed', detail: undefined },
    });
  });

  it('a modal unmounted while it prepares opens once, with the one session asked for', async () => {
    const onSettled = vi.fn();
    let answer!: (url: string) => void;
    const session = vi.fn(() => new Promise<string>((resolve) => (answer = resolve)));
    const scene = stage(<ModalSubject session={session} onSettled={onSettled} />, { strict });
    click('Pay');
    await settle();
    scene.show(<p>another route</p>);
    answer(URL_1);
    const flow = await scene.opened();
    await finish(() => flow.complete());
    expect(session).toHaveBeenCalledTimes(1);
    expect(onSettled).toHaveBeenCalledTimes(1);
  });

  it('a modal unmounted in the moment of its verdict tells it', async () => {
    const onSettled = vi.fn();
    const scene = stage(<ModalSubject session={URL_1} onSettled={onSettled} />, { strict });
    click('Pay');
    const flow = await scene.opened();
    flow.complete();
    scene.unmount();
    await settle();
    expect(onSettled).toHaveBeenCalledTimes(1);
  });

  it('an inline flow unmounted before its verdict reports unknown to the provider, and closes', async () => {
    const onSettled = vi.fn();
    const scene = stage(<InlineSubject session={URL_1} onSettled={onSettled} />, { strict });
    const { container } = await scene.opened();
    expect(container!.isConnected).toBe(true);
    scene.show(<p>another route</p>);
    await settle();
    expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([
      { type: 'settled', flow: 'payment', result: { status: 'unknown' } },
    ]);
    expect(onSettled).not.toHaveBeenCalled();
    expect(scene.events.map(({ type }) => type)).toContain('closed');
  });

  it('an inline flow unmounted while it prepares opens nothing, aborts its request and reports unknown', async () => {
    let signal!: AbortSignal;
    let answer!: (url: string) => void;
    const scene = stage(
      <InlineSubject
        session={(context) => {
          ({ signal } = context);
          return new Promise((resolve) => (answer = resolve));
        }}
      />,
      { strict },
    );
    await settle();
    scene.show(null);
    await settle();
    answer(URL_1);
    await settle();
    expect(signal.aborted).toBe(true);
    expect(scene.fake.flows).toEqual([]);
    expect(scene.events).toEqual([{ type: 'settled', flow: 'payment', result: { status: 'unknown' } }]);
  });

  it('an inline flow unmounted in the moment of its verdict keeps it', async () => {
    const onSettled = vi.fn();
    const scene = stage(<InlineSubject session={URL_1} onSettled={onSettled} />, { strict });
    const flow = await scene.opened();
    flow.complete();
    scene.unmount();
    await settle();
    expect(onSettled.mock.calls).toEqual([[{ status: 'completed', detail: undefined }]]);
    expect(scene.events.at(-1)).toMatchObject({ type: 'settled', result: { status: 'completed' } });
  });

  it('an inline flow unmounted after its verdict reports nothing more', async () => {
    const scene = stage(<InlineSubject session={URL_1} />, { strict });
    const flow = await scene.opened();
    await finish(() => flow.complete());
    const before = [...scene.events];
    scene.unmount();
    await settle();
    expect(scene.events).toEqual(before);
  });

  it('a session that was paid, shown again, announces completed again', async () => {
    const onComplete = vi.fn();
    const inline = (key: string) => (
      <EmbeddedFlow key={key} flow="payment" session={URL_1} onComplete={onComplete} />
    );
    const scene = stage(inline('a'), { strict });
    const first = await scene.opened();
    await finish(() => first.complete());
    scene.show(inline('b'));
    await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
    await finish(() => scene.fake.flows[1]!.complete());
    expect(onComplete).toHaveBeenCalledTimes(2);
  });
});

it('rapid clicks join one run: one session, one flow, one result, for every promise', async () => {
  const session = vi.fn(async () => URL_1);
  const results: PaymentResult[] = [];
  function Subject(): ReactElement {
    const { pay } = useEmbeddedPayment({ session });
    return <button onClick={() => void pay().then((result) => results.push(result))}>Pay</button>;
  }
  const scene = stage(<Subject />);
  for (let i = 0; i < 5; i++) click('Pay');
  const flow = await scene.opened();
  click('Pay');
  await finish(() => flow.cancel());
  expect(session).toHaveBeenCalledTimes(1);
  expect(results).toHaveLength(6);
  expect(new Set(results).size).toBe(1);
});

it('two components: the second is flow_in_progress, before it asks for a session, and free afterwards', async () => {
  const second = vi.fn(async () => URL_2);
  function Two(): ReactElement {
    const a = useEmbeddedPayment({ session: async () => URL_1 });
    const b = useEmbeddedFlow({ session: second });
    return (
      <>
        <button onClick={a.pay}>A</button>
        <button onClick={b.start}>B</button>
        <output>{`${a.status} ${b.status} ${b.error?.code}`}</output>
      </>
    );
  }
  const scene = stage(<Two />);
  click('A');
  click('B');
  await settle();
  expect(screen.getByRole('status').textContent).toBe('open settled flow_in_progress');
  expect(second).not.toHaveBeenCalled();
  await finish(() => scene.fake.flows[0]!.cancel());
  click('B');
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  expect(scene.fake.flows[1]).toMatchObject({ url: URL_2, kind: 'other' });
  await finish(() => scene.fake.flows[1]!.complete());
});

it('several inline flows are open at once, beside a modal', async () => {
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

it('callbacks are the latest; new ones restart nothing', async () => {
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

it('a callback that throws reaches the page, and the flow settles all the same', async () => {
  const thrown: unknown[] = [];
  const listen = (error: unknown): number => thrown.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', listen);
  try {
    const scene = stage(
      <ModalSubject
        session={URL_1}
        onSettled={() => {
          throw new Error('the merchant’s own');
        }}
      />,
    );
    click('Pay');
    const flow = await scene.opened();
    await finish(() => flow.complete());
    expect(screen.getByRole('status').textContent).toBe('settled completed');
    expect(thrown).toEqual([new Error('the merchant’s own')]);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const other of others) process.on('uncaughtException', other);
  }
});

it('pay keeps its identity, and may run with a session of its own', async () => {
  const identities = new Set<unknown>();
  function Subject(): ReactElement {
    const { pay, abort, reset, prefetch, status } = useEmbeddedPayment();
    for (const each of [pay, abort, reset, prefetch]) identities.add(each);
    return <button onClick={() => void pay({ sessionUrl: URL_2 })}>{status}</button>;
  }
  const scene = stage(<Subject />, { strict: false });
  click('idle');
  const flow = await scene.opened();
  expect(flow.url).toBe(URL_2);
  await finish(() => flow.cancel());
  expect(screen.getByRole('button').textContent).toBe('settled');
  expect(identities.size).toBe(4);
});

it.each<[string, unknown]>([
  ['a press event of a component library', { type: 'press', target: null, pointerType: 'mouse' }],
  ['null', null],
])('pay takes %s for no session', async (_what, given) => {
  function Subject(): ReactElement {
    const { pay } = useEmbeddedPayment({ session: URL_1 });
    return <button onClick={() => void pay(given as never)}>Pay</button>;
  }
  const scene = stage(<Subject />);
  click('Pay');
  expect((await scene.opened()).url).toBe(URL_1);
});

it('onSettled may start over', async () => {
  const results: string[] = [];
  function Subject(): ReactElement {
    const { pay, status } = useEmbeddedPayment({
      session: URL_1,
      onSettled(result) {
        results.push(result.status);
        if (results.length === 1) void pay();
      },
    });
    return <button onClick={pay}>{status}</button>;
  }
  const scene = stage(<Subject />);
  click('idle');
  const flow = await scene.opened();
  await finish(() => flow.cancel());
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await finish(() => scene.fake.flows[1]!.complete());
  expect(results).toEqual(['canceled', 'completed']);
  expect(screen.getByRole('button').textContent).toBe('settled');
});

it('another URL, sessionKey or flow shows another session; the same ones do not', async () => {
  const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} />);
  await scene.opened();
  scene.show(<EmbeddedFlow flow="payment" session={{ sessionUrl: URL_1 }} />);
  await settle();
  expect(scene.fake.flows).toHaveLength(1);
  scene.show(<EmbeddedFlow flow="payment" session={URL_2} />);
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await settle();
  expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([
    { type: 'settled', flow: 'payment', result: { status: 'unknown' } },
  ]);
  const asked = vi.fn(async () => URL_1);
  const keyed = (key: string): ReactElement => (
    <EmbeddedFlow flow="payment" session={() => asked()} sessionKey={key} />
  );
  scene.show(keyed('bill 1'));
  await waitFor(() => expect(scene.fake.flows).toHaveLength(3));
  scene.show(keyed('bill 1'));
  await settle();
  expect(asked).toHaveBeenCalledTimes(1);
  scene.show(keyed('bill 2'));
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  await settle();
  scene.show(<EmbeddedFlow flow="wallet" session={() => asked()} sessionKey="bill 2" />);
  await waitFor(() => expect(scene.fake.flows.at(-1)!.kind).toBe('other'));
  await settle();
});

it.each([
  ['complete', 'onComplete', { status: 'completed', detail: undefined }],
  ['cancel', 'onCancel', { status: 'canceled', by: 'payer' }],
  ['expire', 'onExpire', undefined],
] as const)('an inline flow tells %s by %s, and by nothing else', async (how, name, result) => {
  const calls = { onComplete: vi.fn(), onCancel: vi.fn(), onExpire: vi.fn(), onError: vi.fn() };
  const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} {...calls} />);
  const flow = await scene.opened();
  await finish(() => flow[how]());
  for (const [each, call] of Object.entries(calls)) {
    expect(call.mock.calls, each).toEqual(each === name ? [result ? [result] : []] : []);
  }
});

it('the provider preloads the script where it is asked to', async () => {
  const fake = createFakeLoader();
  const preload = vi.spyOn(fake.loader, 'preload');
  const view = render(<EmbeddedProvider loader={fake.loader} />);
  expect(preload).not.toHaveBeenCalled();
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  expect(preload).toHaveBeenCalledTimes(1);
});

it('a remount, as after an edit that resets state: the modal keeps its verdict, the inline flow starts one new', async () => {
  const onSettled = vi.fn();
  const session = vi.fn(async () => URL_1);
  const page = (key: string): ReactElement => (
    <div key={key}>
      <ModalSubject session={URL_2} onSettled={onSettled} />
      <InlineSubject session={session} />
    </div>
  );
  const scene = stage(page('before'));
  await scene.opened();
  click('Pay');
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  scene.show(page('after'));
  await waitFor(() => expect(scene.fake.flows).toHaveLength(3));
  await settle();
  click('Pay');
  await settle();
  expect(screen.getByRole('status').textContent).toBe('settled failed flow_in_progress');
  await finish(() => scene.fake.flows[1]!.complete());
  expect(session).toHaveBeenCalledTimes(2);
  expect(onSettled.mock.calls.map(([{ status }]) => status as string)).toEqual(['failed', 'completed']);
});

it.each(['resumed', 'removed'])(
  'suspended, then %s: a hidden inline flow keeps its frame until it is gone',
  async (then) => {
    let resume!: () => void;
    let pending: Promise<void> | null = null;
    function Neighbor(): null {
      if (pending) throw pending;
      return null;
    }
    const scene = stage(<Page />);
    function Page(): ReactElement {
      const [, setTurn] = useState(0);
      return (
        <>
          <button
            onClick={() => {
              pending = new Promise((resolve) => {
                resume = () => {
                  pending = null;
                  resolve();
                };
              });
              setTurn((turn) => turn + 1);
            }}
          >
            Suspend
          </button>
          <React.Suspense fallback={<p>waiting</p>}>
            <InlineSubject session={URL_1} />
            <Neighbor />
          </React.Suspense>
        </>
      );
    }
    const flow = await scene.opened();
    click('Suspend');
    await screen.findByText('waiting');
    await settle();
    expect(flow.container!.isConnected).toBe(true);
    if (then === 'removed') {
      scene.show(null);
      await settle();
      expect(scene.events.at(-1)).toMatchObject({ result: { status: 'unknown' } });
      return;
    }
    await finish(() => resume());
    await finish(() => flow.complete());
    expect(scene.fake.flows).toHaveLength(1);
    expect(scene.events.at(-1)).toMatchObject({ result: { status: 'completed' } });
  },
);

if ('Activity' in React) {
  const { Activity } = React;

  describe.each([true, false])('<Activity>, StrictMode %s', (strict) => {
    it.each(['modal', 'inline'] as const)(
      '%s: hidden and shown, one frame, the verdict kept',
      async (kind) => {
        const Subject = SUBJECTS[kind];
        const onSettled = vi.fn();
        const session = vi.fn(async () => URL_1);
        const page = (mode: 'visible' | 'hidden', turn = onSettled): ReactElement => (
          <Activity mode={mode}>
            <Subject session={session} onSettled={turn} />
          </Activity>
        );
        const scene = stage(page('visible'), { strict });
        if (kind === 'modal') click('Pay');
        const flow = await scene.opened();
        const { container } = flow;
        const latest = vi.fn();
        scene.show(page('hidden', latest));
        await settle();
        await finish(() => flow.complete());
        scene.show(page('visible', latest));
        await settle();
        expect(latest).toHaveBeenCalledTimes(1);
        expect(onSettled).not.toHaveBeenCalled();
        expect(session).toHaveBeenCalledTimes(1);
        expect(scene.fake.flows).toHaveLength(1);
        expect(container?.isConnected).toBe(kind === 'inline' ? true : undefined);
        if (kind === 'modal') expect(screen.getByRole('status').textContent).toBe('settled completed');
      },
    );

    it('inline, hidden from the start: nothing is asked for until it is shown', async () => {
      const session = vi.fn(async () => URL_1);
      const page = (mode: 'visible' | 'hidden'): ReactElement => (
        <Activity mode={mode}>
          <InlineSubject session={session} />
        </Activity>
      );
      const scene = stage(page('hidden'), { strict });
      await settle();
      expect(session).not.toHaveBeenCalled();
      scene.show(page('visible'));
      await scene.opened();
      expect(session).toHaveBeenCalledTimes(1);
    });

    it('inline, removed while hidden: closes and reports unknown', async () => {
      const page = (mode: 'visible' | 'hidden'): ReactElement => (
        <Activity mode={mode}>
          <InlineSubject session={URL_1} />
        </Activity>
      );
      const scene = stage(page('visible'), { strict });
      await scene.opened();
      scene.show(page('hidden'));
      await settle();
      expect(scene.events.filter(({ type }) => type === 'settled')).toEqual([]);
      scene.show(null);
      await settle();
      expect(scene.events.at(-1)).toEqual({
        type: 'settled',
        flow: 'payment',
        result: { status: 'unknown' },
      });
    });
  });
}

it('abort: canceled by the merchant while preparing and while open', async () => {
  const onSettled = vi.fn();
  let signal!: AbortSignal;
  const session = vi.fn((context: { signal: AbortSignal }) => {
    ({ signal } = context);
    return session.mock.calls.length === 1 ? new Promise<string>(() => {}) : Promise.resolve(URL_1);
  });
  const scene = stage(<ModalSubject session={session} onSettled={onSettled} />);
  click('Pay');
  await settle();
  click('Abort');
  await settle();
  expect(signal.aborted).toBe(true);
  click('Pay');
  await scene.opened();
  click('Abort');
  await settle();
  expect(onSettled.mock.calls).toEqual([
    [{ status: 'canceled', by: 'merchant' }],
    [{ status: 'canceled', by: 'merchant' }],
  ]);
  click('Reset');
  expect(screen.getByRole('status').textContent).toBe('idle');
});

it('reset does nothing to a flow that runs', async () => {
  const scene = stage(<ModalSubject session={URL_1} />);
  click('Pay');
  const flow = await scene.opened();
  click('Reset');
  expect(screen.getByRole('status').textContent).toBe('open');
  await finish(() => flow.complete());
  expect(screen.getByRole('status').textContent).toBe('settled completed');
});

it('a form that broke off is gone, and loads again on retry', async () => {
  const scene = stage(<EmbeddedFlow flow="payment" session={URL_1} />);
  const flow = await scene.opened();
  const region = screen.getByRole('region');
  expect(region.getAttribute('aria-busy')).toBe('false');
  await finish(() => flow.fail(new Error('broken')));
  expect(flow.container!.isConnected).toBe(false);
  expect(screen.getByRole('alert')).toBeTruthy();
  act(() => void click('Try again'));
  expect(region.getAttribute('aria-busy')).toBe('true');
  expect(screen.queryByRole('alert')).toBeNull();
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await settle();
  expect(region.getAttribute('aria-busy')).toBe('false');
});

it('renderError gets the error and a retry that asks for a new session', async () => {
  const reasons: string[] = [];
  const session = vi.fn(async ({ reason }: { reason: string }) => {
    reasons.push(reason);
    if (reasons.length === 1) throw new Error('the backend is away');
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

it('null for loading and error shows nothing', async () => {
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

it('an SDK that never says ready is ready when its frame has loaded', async () => {
  const fake = createFakeLoader();
  const silent = {
    ...fake.loader,
    load: async () => {
      const service = await fake.loader.load();
      const completePayment: typeof service.completePayment = (session, options) =>
        service.completePayment(session, { ...options, onEvent: () => {} });
      return { ...service, completePayment };
    },
  };
  stage(<InlineSubject session={URL_1} />, { fake: { ...fake, loader: silent } });
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  await settle();
  const region = screen.getByRole('region');
  expect(region.getAttribute('aria-busy')).toBe('true');
  const { container } = fake.flows[0]!;
  const image = container!.appendChild(document.createElement('img'));
  await finish(() => image.dispatchEvent(new Event('load')));
  expect(region.getAttribute('aria-busy')).toBe('true');
  // No real frame: happy-dom would try to load it.
  const frame = container!.appendChild(document.createElement('x-frame'));
  Object.defineProperty(frame, 'tagName', { value: 'IFRAME' });
  await finish(() => frame.dispatchEvent(new Event('load')));
  expect(region.getAttribute('aria-busy')).toBe('false');
});

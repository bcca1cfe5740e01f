// Tests which component may start a flow and receives its result.
import { useEffect, type ReactElement } from 'react';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { useEmbeddedFlow, useEmbeddedPayment, type PaymentResult } from './index.js';
import { click, finish, ModalSubject, settle, stage, URL_1, URL_2 } from '../test/subjects.js';

it('rapid clicks share one session, one flow and one result', async () => {
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

it('rejects a second component with flow_in_progress before its session request, until the first ends', async () => {
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

it('reports an error thrown by a callback to the page, and still settles the flow', async () => {
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

it('pay keeps its identity and accepts another session', async () => {
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
  ['an event of the DOM', new Event('click')],
  ['nothing', undefined],
])('pay ignores %s as a session', async (_what, given) => {
  function Subject(): ReactElement {
    const { pay } = useEmbeddedPayment({ session: URL_1 });
    return <button onClick={() => void pay(given as never)}>Pay</button>;
  }
  const scene = stage(<Subject />);
  click('Pay');
  expect((await scene.opened()).url).toBe(URL_1);
});

it.each<[string, unknown, string]>([
  ['an object', {}, 'Object'],
  ['an unparsed response of the backend', { PaymentLogInLink: URL_2 }, 'Object'],
  ['an object that has a type alone', { type: 'payment' }, 'Object'],
  ['a list', [URL_2], 'Array'],
  ['a promise', Promise.resolve(URL_2), 'Promise'],
  ['null', null, 'Null'],
  ['a number', 42, 'Number'],
  ['a path', '/s/stg_2#secret-2', 'String'],
])('pay(%s) is session_invalid and opens no other session', async (_what, given, kind) => {
  const results: PaymentResult[] = [];
  const session = vi.fn(async () => URL_1);
  function Subject(): ReactElement {
    const { pay, start } = { ...useEmbeddedPayment({ session }), ...useEmbeddedFlow({ session }) };
    const both = async () => results.push(await pay(given as never), await start(given as never));
    return <button onClick={() => void both()}>Pay</button>;
  }
  const scene = stage(<Subject />);
  click('Pay');
  await waitFor(() => expect(results).toHaveLength(2));
  await settle();
  for (const result of results) {
    expect(result).toMatchObject({ status: 'failed', error: { code: 'session_invalid', retryable: false } });
    expect(result.status === 'failed' && result.error.message).toContain(`: [object ${kind}]`);
    expect(JSON.stringify(result)).not.toContain('secret');
  }
  expect(scene.fake.flows).toEqual([]);
  expect(session).not.toHaveBeenCalled();
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

it('abort while preparing or open cancels as the merchant', async () => {
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

describe('pay after abort, before the flow has closed', () => {
  let results: string[];
  beforeEach(() => (results = []));

  /** Pays while it is mounted. */
  function Route({ url }: { url: string }): ReactElement {
    const { pay, abort, status } = useEmbeddedPayment({
      session: async () => url,
      onSettled: ({ status }) => results.push(status),
    });
    useEffect(() => {
      void pay();
      return abort;
    }, [pay, abort]);
    return <output>{status}</output>;
  }

  it.each([true, false])(
    'opens again in a route that aborts its modal on unmount, StrictMode %s',
    async (strict) => {
      const scene = stage(<Route url={URL_1} />, { strict });
      await scene.opened();
      expect(screen.getByRole('status').textContent).toBe('open');
      results.length = 0;
      scene.show(null);
      await settle();
      expect(results).toEqual(['canceled']);
      expect(scene.fake.flows).toHaveLength(1);
    },
  );

  it.each([true, false])('opens in another component, StrictMode %s', async (strict) => {
    const scene = stage(<Route key="1" url={URL_1} />, { strict });
    await scene.opened();
    results.length = 0;
    scene.show(<Route key="2" url={URL_2} />);
    await waitFor(() => expect(scene.fake.flows.map(({ url }) => url)).toEqual([URL_1, URL_2]));
    await settle();
    expect(screen.getByRole('status').textContent).toBe('open');
    expect(new Set(results)).toEqual(new Set(['canceled']));
    await finish(() => scene.fake.flows[1]!.complete());
    expect(results.at(-1)).toBe('completed');
  });

  const turns: Record<string, (call: ReturnType<typeof useEmbeddedPayment>) => Promise<PaymentResult>[]> = {
    'abort, pay': ({ abort, pay }) => [(abort(), pay(URL_2))],
    'abort, pay, pay': ({ abort, pay }) => [(abort(), pay(URL_2)), pay(URL_2)],
    'abort, pay, abort': ({ abort, pay }) => {
      abort();
      const next = pay(URL_2);
      abort();
      return [next];
    },
    'abort, pay, abort, pay': ({ abort, pay }) => [(abort(), pay(URL_1)), (abort(), pay(URL_2))],
  };

  async function run(how: keyof typeof turns, first: 'open' | 'preparing', fake = createFakeLoader()) {
    const results: string[] = [];
    const after = (each: Promise<PaymentResult>): unknown => each.then(({ status }) => results.push(status));
    function Subject(): ReactElement {
      const payment = useEmbeddedPayment();
      return (
        <>
          <button
            onClick={() => void after(payment.pay(first === 'open' ? URL_1 : () => new Promise(() => {})))}
          >
            First
          </button>
          <button onClick={() => turns[how]!(payment).forEach(after)}>Then</button>
          <output>{payment.status}</output>
        </>
      );
    }
    const scene = stage(<Subject />, { fake });
    click('First');
    await settle();
    click('Then');
    await settle();
    return { results, scene };
  }

  describe.each(['open', 'preparing'] as const)('%s', (first) => {
    it.each(['abort, pay', 'abort, pay, pay', 'abort, pay, abort, pay'])(
      '%s: opens the last one',
      async (how) => {
        const { results, scene } = await run(how, first);
        expect(scene.fake.flows.at(-1)!.url).toBe(URL_2);
        expect(scene.fake.flows).toHaveLength(first === 'open' ? 2 : 1);
        expect(screen.getByRole('status').textContent).toBe('open');
        await finish(() => scene.fake.flows.at(-1)!.complete());
        expect(results.at(-1)).toBe('completed');
        expect(results).toHaveLength(how.match(/pay/g)!.length + 1);
      },
    );

    it('abort, pay, abort opens nothing', async () => {
      const { results, scene } = await run('abort, pay, abort', first);
      expect(scene.fake.flows).toHaveLength(first === 'open' ? 1 : 0);
      expect(results).toEqual(['canceled', 'canceled']);
    });
  });

  it('R-60 opens the next one if the payer is reading the first one’s receipt, and only the first is completed', async () => {
    const results: PaymentResult[] = [];
    let payment!: ReturnType<typeof useEmbeddedPayment>;
    function Subject(): ReactElement {
      payment = useEmbeddedPayment();
      return <output>{payment.status}</output>;
    }
    const scene = stage(<Subject />);
    void payment.pay(URL_1).then((result) => results.push(result));
    const flow = await scene.opened();
    await finish(() => flow.complete('paid', { stays: true }));
    payment.abort();
    void payment.pay(URL_2).then((result) => results.push(result));
    await settle();
    expect(results).toEqual([{ status: 'completed', detail: 'paid' }]);
    expect(scene.fake.flows.map(({ url }) => url)).toEqual([URL_1, URL_2]);
    expect(screen.getByRole('status').textContent).toBe('open');
    await finish(() => scene.fake.flows[1]!.cancel());
    expect(results[1]).toEqual({ status: 'canceled', by: 'payer' });
  });

  it.each(['unknown', 'completed'] as const)(
    'R-60 opens nothing and claims nothing if the first one ends as %s',
    async (status) => {
      const fake = createFakeLoader();
      const ended = { status, detail: undefined };
      const completePayment = vi.fn(
        (_session: unknown, { signal }: { signal?: AbortSignal } = {}) =>
          new Promise<typeof ended>((resolve) => signal!.addEventListener('abort', () => resolve(ended))),
      );
      const load = async () => ({ ...(await fake.loader.load()), completePayment });
      const { results } = await run('abort, pay', 'open', { ...fake, loader: { ...fake.loader, load } });
      expect(results).toEqual([status, 'unknown']);
      expect(completePayment).toHaveBeenCalledTimes(1);
    },
  );
});

it('abort at any point of the preparation settles and permits the next flow', async () => {
  let resolveSession!: (url: string) => void;
  let payment!: ReturnType<typeof useEmbeddedPayment>;
  function Subject(): null {
    payment = useEmbeddedPayment({
      session: () => new Promise<string>((resolve) => (resolveSession = resolve)),
    });
    return null;
  }
  stage(<Subject />);
  for (let ticks = 0; ticks < 24; ticks++) {
    const settled = await act(async () => {
      const result = payment.pay();
      resolveSession(URL_1);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      payment.abort();
      return Promise.race([
        result,
        new Promise((resolve) => setTimeout(resolve, 5_000, `hangs after ${ticks}`)),
      ]);
    });
    expect(settled).toEqual({ status: 'canceled', by: 'merchant' });
  }
});

it('reset does not affect a running flow', async () => {
  const scene = stage(<ModalSubject session={URL_1} />);
  click('Pay');
  const flow = await scene.opened();
  click('Reset');
  expect(screen.getByRole('status').textContent).toBe('open');
  await finish(() => flow.complete());
  expect(screen.getByRole('status').textContent).toBe('settled completed');
});

// Calls the controller in random order and at random times: every call must settle, and no flow may stay open.
import { expect, it, vi } from 'vitest';
import type { FlowResult } from '@embedded-sessions/loader';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { FlowController } from './controller.js';
import { IDLE, PREPARING, type EmbeddedEvent, type PaymentResult, type SessionSource } from './flow-state.js';

it('calls onReady once even if the form reports ready repeatedly, and not after the form is gone', async () => {
  const fake = createFakeLoader();
  const onReady = vi.fn();
  const controller = new FlowController(PREPARING);
  controller.configure({
    flow: 'payment',
    loader: fake.loader,
    session: async () => 'https://pay.example.com/s/1',
    provided: undefined,
    onReady,
  });
  const settled = controller.startIn(document.createElement('div'));
  await expect.poll(() => fake.flows).toHaveLength(1);
  controller.ready();
  controller.ready();
  expect(onReady).toHaveBeenCalledOnce();
  fake.flows[0]?.complete();
  await settled;
  controller.ready();
  expect(onReady).toHaveBeenCalledOnce();
});

it('a refused flow does not free the place of the open one', async () => {
  const fake = createFakeLoader();
  const session = vi.fn(async () => 'https://pay.example.com/s/1');
  const open = (): Promise<PaymentResult> => {
    const controller = new FlowController(IDLE);
    controller.configure({ flow: 'payment', loader: fake.loader, session, provided: undefined });
    return controller.start();
  };
  const first = open();
  await expect.poll(() => fake.flows).toHaveLength(1);
  for (let count = 0; count < 2; count++)
    expect(await open()).toMatchObject({
      status: 'failed',
      error: { code: 'flow_in_progress', message: expect.stringMatching(/^\w+ \w/) as string },
    });
  // The refused flow requested no session.
  expect(session).toHaveBeenCalledOnce();
  fake.flows[0]?.complete();
  expect(await first).toMatchObject({ status: 'completed' });
});

it('runs the flow that onSettled starts after an immediate refusal', async () => {
  const fake = createFakeLoader();
  const controller = new FlowController(IDLE);
  let second: Promise<PaymentResult> | undefined;
  controller.configure({
    flow: 'payment',
    loader: fake.loader,
    session: null,
    provided: undefined,
    onSettled: () => void (second ??= controller.start('https://pay.example.com/s/1')),
  });
  expect(await controller.start()).toMatchObject({ status: 'failed', error: { code: 'session_invalid' } });
  await expect.poll(() => fake.flows).toHaveLength(1);
  const joined = controller.start();
  fake.flows[0]?.complete();
  expect(await second).toMatchObject({ status: 'completed' });
  expect(await joined).toBe(await second);
});

it.each(['reset', 'prefetch', 'start'] as const)(
  'a session factory that calls %s synchronously does not affect its flow',
  async (call) => {
    const fake = createFakeLoader();
    const controller = new FlowController(IDLE);
    const session = vi.fn(async () => {
      // Called during the run, it must not start another run.
      if (session.mock.calls.length < 5) void controller[call]();
      return 'https://pay.example.com/s/1';
    });
    controller.configure({ flow: 'payment', loader: fake.loader, session, provided: undefined });
    const paid = controller.start();
    await vi.waitUntil(() => fake.flows[0] ?? controller.getState().result, { timeout: 50_000 });
    fake.flows[0]?.complete();
    expect(await paid).toMatchObject({ status: 'completed' });
    expect(session).toHaveBeenCalledOnce();
  },
);

it('a prefetch that times out aborts its signal', async () => {
  vi.useFakeTimers();
  const fake = createFakeLoader();
  const controller = new FlowController(IDLE);
  const signals: AbortSignal[] = [];
  const session: SessionSource = ({ signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  controller.configure({ flow: 'payment', loader: fake.loader, session, provided: undefined });
  controller.prefetch();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(signals[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('R-60 opens only after an aborted flow elsewhere on the page has closed', async () => {
  const opened: { close: () => void }[] = [];
  const completePayment = (): Promise<FlowResult> =>
    new Promise((resolve) => opened.push({ close: () => resolve({ status: 'canceled', by: 'merchant' }) }));
  const { loader } = createFakeLoader();
  const slow = { ...loader, load: async () => ({ ...(await loader.load()), completePayment }) };
  const [one, two] = [new FlowController(IDLE), new FlowController(IDLE)];
  for (const controller of [one, two])
    controller.configure({
      flow: 'payment',
      loader: slow,
      session: async () => 'https://pay.example.com/s/1',
      provided: undefined,
    });
  const first = one.start();
  await expect.poll(() => opened).toHaveLength(1);
  one.abort();
  const second = two.start();
  for (let turn = 0; turn < 20; turn++) await task();
  expect(opened).toHaveLength(1);
  opened[0]?.close();
  await expect.poll(() => opened).toHaveLength(2);
  opened[1]?.close();
  expect(await Promise.all([first, second])).toMatchObject([{ status: 'canceled' }, { status: 'canceled' }]);
});

const RUNS = 200;
const PRESSES = 14;

/** Reproducible random numbers, so that a failing run can be repeated by its seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 7919;
  return (sides) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const task = (): Promise<void> => new Promise((done) => setTimeout(done));

async function play(seed: number): Promise<void> {
  const roll = dice(seed);
  const fake = createFakeLoader();
  const reported: EmbeddedEvent[] = [];
  const results: PaymentResult[] = [];
  const pass = async (ticks: number): Promise<void> => {
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
  };
  function flow(initial: typeof IDLE): FlowController {
    const controller = new FlowController(initial);
    controller.configure({
      flow: 'payment',
      loader: fake.loader,
      async session() {
        await pass(roll(5));
        if (roll(6) === 0) throw new Error('the backend is down');
        return `https://pay.example.com/s/${seed}`;
      },
      ...(initial === IDLE && {
        onSettled: (result: PaymentResult) => results.push(result),
      }),
      provided: { current: initial === IDLE ? { onEvent: (event) => reported.push(event) } : {} },
    });
    return controller;
  }
  const modals = [flow(IDLE), flow(IDLE)] as const;
  const places = [flow(PREPARING), flow(PREPARING)];
  const shown: FlowController[] = [];
  const calls: Promise<PaymentResult>[] = [];
  const last = () => fake.flows.at(-1);
  const presses: ((modal: FlowController) => unknown)[] = [
    (modal) => calls.push(modal.start()),
    (modal) => calls.push(modal.start()),
    (modal) => calls.push(modal.start('https://pay.example.com/s/given')),
    (modal) => modal.abort(),
    (modal) => modal.abort(),
    (modal) => modal.reset(),
    (modal) => modal.prefetch(),
    // Shown one at a time, as a component would.
    () => {
      const place = places.pop();
      if (!place) return;
      shown.push(place);
      calls.push(place.startIn(document.createElement('div')));
    },
    () => shown.pop()?.end(),
    () => last()?.complete(),
    () => last()?.cancel(),
    () => last()?.expire(),
    () => last()?.vanish(),
    () => last()?.fail(new Error('broken')),
  ];
  for (let turn = 0; turn < PRESSES; turn++) {
    presses[roll(presses.length)]!(modals[roll(2) as 0 | 1]);
    await pass(roll(8));
    if (roll(10) === 0) await task();
  }

  const over = Promise.all(calls).then(() => true);
  let settled = false;
  for (let turn = 0; turn < 60 && !settled; turn++) {
    for (const open of fake.flows) open.complete();
    settled = await Promise.race([over, task().then(() => false)]);
  }
  expect(settled, `seed ${seed}`).toBe(true);
  for (const { getState } of modals) expect(['idle', 'settled'], `seed ${seed}`).toContain(getState().status);
  // The component and the provider each receive every result once.
  expect(
    reported.filter(({ type }) => type === 'settled').map((event) => 'result' in event && event.result),
  ).toEqual(results);

  const [modal] = modals;
  modal.reset();
  const call = modal.start('https://pay.example.com/s/last');
  for (let turn = 0; turn < 30 && modal.getState().status === 'preparing'; turn++) await task();
  expect(modal.getState().status, `seed ${seed}`).toBe('open');
  last()!.complete();
  expect(await call).toMatchObject({ status: 'completed' });
}

it(`settles every call, reports each result once, and opens the next payment: ${RUNS} runs`, async () => {
  for (let seed = 1; seed <= RUNS; seed++) await play(seed);
});

/** A modal and the sessions requested for it. */
function modal(session: (calls: number) => string | Promise<string>) {
  const fake = createFakeLoader();
  let calls = 0;
  const controller = new FlowController(IDLE);
  const wire = (sessionKey?: string): void =>
    controller.configure({
      flow: 'payment',
      loader: fake.loader,
      session: async () => session((calls += 1)),
      sessionKey,
      provided: undefined,
    });
  wire();
  return { fake, controller, wire, calls: () => calls };
}
const finished = async (fake: ReturnType<typeof createFakeLoader>, count: number): Promise<void> => {
  await expect.poll(() => fake.flows).toHaveLength(count);
  fake.flows.at(-1)?.complete();
};

it('requests a session again on click if its prefetch failed', async () => {
  const { fake, controller, calls } = modal((count) => {
    if (count === 1) throw new Error('the backend is down');
    return 'https://pay.example.com/s/2';
  });
  controller.prefetch();
  await task();
  expect(calls()).toBe(1);
  const call = controller.start();
  await finished(fake, 1);
  expect(await call).toMatchObject({ status: 'completed' });
  expect([calls(), fake.flows[0]?.url]).toEqual([2, 'https://pay.example.com/s/2']);
});

it('uses a prefetched session once, and ignores the outcome of earlier prefetches', async () => {
  let fail = (): void => undefined;
  const { fake, controller, wire, calls } = modal((count) =>
    count === 1
      ? new Promise((_, reject) => (fail = () => reject(new Error('too late'))))
      : `https://pay.example.com/s/${count}`,
  );
  wire('first');
  controller.prefetch();
  wire('second');
  controller.prefetch();
  expect(calls()).toBe(2);
  controller.prefetch();
  fail();
  await task();
  const call = controller.start();
  await finished(fake, 1);
  await call;
  expect([calls(), fake.flows[0]?.url]).toEqual([2, 'https://pay.example.com/s/2']);
  const again = controller.start();
  await finished(fake, 2);
  await again;
  expect([calls(), fake.flows[1]?.url]).toEqual([3, 'https://pay.example.com/s/3']);
});

/** A payment controller with its fake loader and the requests to its backend. */
function payment(session: () => Promise<string> = async () => 'https://pay.example.com/s/1') {
  const fake = createFakeLoader();
  const sessionSpy = vi.fn<(given: { signal: AbortSignal; reason: string }) => Promise<string>>(session);
  const load = vi.spyOn(fake.loader, 'load');
  const controller = new FlowController(IDLE);
  controller.configure({ flow: 'payment', loader: fake.loader, session: sessionSpy, provided: undefined });
  return { ...fake, sessionSpy, load, controller };
}

it('prefetch and reset do not affect an open flow', async () => {
  const { sessionSpy, flows, controller } = payment();
  const settled = controller.start();
  await expect.poll(() => flows).toHaveLength(1);
  controller.prefetch();
  controller.reset();
  await task();
  expect(sessionSpy).toHaveBeenCalledOnce();
  expect(sessionSpy.mock.calls[0]?.[0].signal.aborted).toBe(false);
  flows[0]?.complete({ Status: 'Succeeded' });
  expect(await settled).toMatchObject({ status: 'completed' });
});

it('R-1 a prerendered page prefetches no session', async () => {
  const { sessionSpy, controller } = payment();
  const page = document as { prerendering?: boolean };
  page.prerendering = true;
  controller.prefetch();
  await task();
  expect(sessionSpy).not.toHaveBeenCalled();
  delete page.prerendering;
  controller.prefetch();
  expect(sessionSpy).toHaveBeenCalledOnce();
});

it('reset aborts a prefetch, and the next click requests a new session', async () => {
  const { sessionSpy, flows, controller } = payment();
  controller.prefetch();
  controller.prefetch();
  expect(sessionSpy).toHaveBeenCalledOnce();
  controller.reset();
  expect(sessionSpy.mock.calls[0]?.[0].signal.aborted).toBe(true);
  const settled = controller.start();
  await expect.poll(() => flows).toHaveLength(1);
  expect(sessionSpy).toHaveBeenCalledTimes(2);
  flows[0]?.cancel();
  expect(await settled).toMatchObject({ status: 'canceled' });
});

it('keeps a prefetched session while the page shows another bill with its own session', async () => {
  const { sessionSpy, flows, loader, controller } = payment();
  const wire = (sessionKey: string, session: SessionSource): void =>
    controller.configure({ flow: 'payment', loader, session, sessionKey, provided: undefined });
  wire('bill 1', sessionSpy);
  controller.prefetch();
  wire('bill 2', 'https://pay.example.com/s/2');
  controller.prefetch();
  wire('bill 1', sessionSpy);
  const settled = controller.start();
  await expect.poll(() => flows).toMatchObject([{ url: 'https://pay.example.com/s/1' }]);
  expect(sessionSpy).toHaveBeenCalledOnce();
  flows[0]?.complete();
  expect(await settled).toMatchObject({ status: 'completed' });
});

it('prefetch without a loader, or with an existing session, is a no-op', async () => {
  const lone = new FlowController(IDLE);
  const session = vi.fn(async () => 'https://pay.example.com/s/1');
  lone.configure({ flow: 'payment', loader: undefined, session, provided: undefined } as never);
  expect(() => lone.prefetch()).not.toThrow();
  expect(session).toHaveBeenCalledOnce();
  const { flows, loader, controller } = payment();
  const given = 'https://pay.example.com/s/given';
  controller.configure({ flow: 'payment', loader, session: given, provided: undefined });
  controller.prefetch();
  const settled = controller.start();
  await expect.poll(() => flows).toMatchObject([{ url: given }]);
  flows[0]?.complete();
  expect(await settled).toMatchObject({ status: 'completed' });
});

it('an aborted flow aborts its load and session request', async () => {
  const { sessionSpy, load, controller } = payment(() => new Promise(() => {}));
  const settled = controller.start();
  expect(load.mock.calls[0]?.[0]?.signal?.aborted).toBe(false);
  controller.abort();
  expect(await settled).toMatchObject({ status: 'canceled' });
  expect(load.mock.calls[0]?.[0]?.signal?.aborted).toBe(true);
  expect(sessionSpy.mock.calls[0]?.[0].signal.aborted).toBe(true);
});

it('times out a backend after 30 s, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const quick = payment();
    const paid = quick.controller.start();
    await vi.waitFor(() => expect(quick.flows).toHaveLength(1));
    expect(vi.getTimerCount()).toBe(0);
    quick.flows[0]?.complete();
    await paid;
    const slow = payment(() => new Promise(() => {}));
    const settled = slow.controller.start();
    await vi.advanceTimersByTimeAsync(29_999);
    expect(slow.sessionSpy.mock.calls[0]?.[0].signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await settled).toMatchObject({
      status: 'failed',
      error: {
        code: 'session_failed',
        message: expect.stringMatching(/^\w+ \w/) as string,
        retryable: true,
        cause: { message: expect.stringContaining('30 s') as string },
      },
    });
    expect(slow.sessionSpy.mock.calls[0]?.[0].signal.aborted).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

it('R-60 reports a payment as unknown if its SDK fails, before or after an abort', async () => {
  const statuses = new Set<string>();
  for (let ticks = 0; ticks < 24; ticks++) {
    const { flows, controller } = payment();
    const settled = controller.start();
    await expect.poll(() => flows).toHaveLength(1);
    flows[0]?.processing();
    flows[0]?.fail(new Error('broken'));
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    controller.abort();
    statuses.add((await settled).status);
  }
  expect([...statuses]).toEqual(['unknown']);
});

it('does not call onReady for a form that reports ready after its flow has ended', async () => {
  const { controller, loader } = payment();
  const onReady = vi.fn();
  const session = async (): Promise<string> => {
    throw new Error('the backend is down');
  };
  controller.configure({ flow: 'payment', loader, session, provided: undefined, onReady });
  expect(await controller.start()).toMatchObject({ status: 'failed' });
  controller.ready();
  expect(controller.getState()).toMatchObject({ status: 'settled' });
  expect(onReady).not.toHaveBeenCalled();
});

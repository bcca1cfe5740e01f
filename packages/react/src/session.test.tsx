// Sessions that fail, and sessions that expire.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { LoaderError } from '@embedded-sessions/loader';
import type { SessionFactory } from './flow-state.js';
import { useEmbeddedPayment, type PaymentResult, type SessionSource } from './index.js';
import {
  click,
  failures,
  finish,
  ModalSubject,
  settle,
  stage,
  SUBJECTS,
  URL_1,
  URL_2,
} from '../test/subjects.js';

const MINUTE_MS = 60_000;

describe.each(['modal', 'inline'] as const)('%s', (kind) => {
  const Subject = SUBJECTS[kind];

  async function resultOf(session: SessionSource, fake = createFakeLoader()) {
    const onSettled = vi.fn<(result: PaymentResult) => void>();
    const scene = stage(<Subject session={session} onSettled={onSettled} />, { fake });
    if (kind === 'modal') click('Pay');
    await waitFor(() => expect(onSettled).toHaveBeenCalled());
    await settle();
    expect(onSettled).toHaveBeenCalledTimes(1);
    expect(scene.events.filter(({ type }) => type === 'settled')).toHaveLength(1);
    return onSettled.mock.calls[0]![0];
  }

  const cause = new Error('502 from the backend');

  it.each<[string, SessionSource]>([
    ['rejects', () => Promise.reject(cause)],
    [
      'throws',
      () => {
        throw cause;
      },
    ],
  ])('R-52 a session factory that %s: session_failed, retryable, with its cause', async (_how, session) => {
    const fake = createFakeLoader();
    expect(await resultOf(session, fake)).toMatchObject({
      status: 'failed',
      error: { name: 'EmbeddedPaymentError', code: 'session_failed', retryable: true, cause },
    });
    // The payer sees only that it failed. The console has the reason for the developer.
    expect(failures).toMatchObject([{ code: 'session_failed', cause }]);
    expect(fake.flows).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 42],
    ['an empty string', ''],
    ['a path', '/s/stg_1#secret-1'],
    ['an object without sessionUrl', { PaymentLogInLink: URL_1 }],
    ['a sessionUrl that is none', { sessionUrl: 'secret-1' }],
    ['an envelope', { hasErrors: false, errors: [], data: { PaymentLogInLink: URL_1 } }],
    ['a Response', new Response('{}')],
  ])(
    'a session factory that returns %s: session_invalid, without a secret in the message',
    async (_what, garbage) => {
      const fake = createFakeLoader();
      const result = await resultOf(async () => garbage as never, fake);
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'session_invalid', retryable: false },
      });
      expect(result.status === 'failed' && result.error.message).toMatch(
        /^Not a session URL or \{ sessionUrl \}: /,
      );
      expect(result.status === 'failed' && String(result.error)).not.toContain('secret');
      expect(fake.flows).toEqual([]);
    },
  );

  it('R-7 fails with environment_mismatch and opens nothing if the session is for the other environment', async () => {
    const fake = createFakeLoader({ environment: 'staging' });
    const result = await resultOf(async () => ({ sessionUrl: URL_1, environment: 'production' }), fake);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'environment_mismatch', details: { expected: 'staging', found: 'production' } },
    });
    expect(result.status === 'failed' && result.error.message).toMatch(
      /staging.*production|production.*staging/,
    );
    expect(fake.flows).toEqual([]);
  });

  it('a failed load aborts the session request', async () => {
    const loadError = new LoaderError('offline', 'The browser is offline. Try again when it is back.');
    let signal!: AbortSignal;
    const result = await resultOf((context) => {
      ({ signal } = context);
      return new Promise(() => {});
    }, createFakeLoader({ loadError }));
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'offline', message: loadError.message, retryable: true, cause: loadError },
    });
    expect(signal.aborted).toBe(true);
  });

  it('fails with flow_failed and the cause if the loader is invalid', async () => {
    const fake = createFakeLoader();
    const broken = { ...fake, loader: { ...fake.loader, load: () => Promise.reject(cause) } };
    expect(await resultOf(URL_1, broken)).toMatchObject({ error: { code: 'flow_failed', cause } });
  });

  it('fails with session_failed after 30 s if the session factory never settles', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const onSettled = vi.fn<(result: PaymentResult) => void>();
    stage(<Subject session={() => new Promise(() => {})} onSettled={onSettled} />);
    if (kind === 'modal') click('Pay');
    await finishTimers(29_999);
    expect(onSettled).not.toHaveBeenCalled();
    await finishTimers(1);
    expect(onSettled.mock.calls).toMatchObject([
      [{ error: { code: 'session_failed', retryable: true, cause: { message: 'No response in 30 s' } } }],
    ]);
  });

  it('R-51 requests a new session with the reason if it expired while the script loaded', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const fake = createFakeLoader();
    let arrive!: () => void;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const slow = {
      ...fake,
      loader: { ...fake.loader, load: async () => (await arrived, fake.loader.load()) },
    };
    const reasons: string[] = [];
    const session: SessionSource = async ({ reason }) => {
      reasons.push(reason);
      return { sessionUrl: reason === 'initial' ? URL_1 : URL_2, expiresInMs: 5_000 };
    };
    stage(<Subject session={session} />, { fake: slow });
    if (kind === 'modal') click('Pay');
    await finishTimers(5_000);
    arrive();
    await finishTimers(0);
    expect(reasons).toEqual(['initial', 'expired']);
    expect(fake.flows.map(({ url }) => url)).toEqual([URL_2]);
  });

  it('R-51 reports a session that expires while open, and the next attempt passes the reason', async () => {
    const reasons: string[] = [];
    const session: SessionSource = async ({ reason }) => (reasons.push(reason), URL_1);
    const onSettled = vi.fn();
    const scene = stage(<Subject session={session} onSettled={onSettled} />);
    if (kind === 'modal') click('Pay');
    const flow = await scene.opened();
    await finish(() => flow.expire());
    expect(onSettled.mock.calls).toEqual([[{ status: 'expired' }]]);
    expect(reasons).toEqual(['initial']);
    if (kind === 'inline') return;
    click('Pay');
    await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
    await settle();
    expect(reasons).toEqual(['initial', 'expired']);
  });

  it.runIf(kind === 'modal').each([
    ['starts again', 'renew', 'expired'],
    ['pays again after a failure', 'payAgain', 'retry'],
  ] as const)('R-51 a payer who %s gets a new session in the same flow', async (_, does, reason) => {
    const reasons: string[] = [];
    const session: SessionSource = async ({ reason }) => (reasons.push(reason), reasons[1] ? URL_2 : URL_1);
    const onSettled = vi.fn();
    const scene = stage(<Subject session={session} onSettled={onSettled} />);
    click('Pay');
    const flow = await scene.opened();
    await finish(() => flow[does]());
    await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
    expect(onSettled).not.toHaveBeenCalled();
    expect(reasons).toEqual(['initial', reason]);
    await finish(() => scene.fake.flows[1]!.complete());
    expect(scene.fake.flows[1]!.url).toBe(URL_2);
    expect(onSettled.mock.calls).toEqual([[{ status: 'completed', detail: undefined }]]);
  });
});

it('R-51 is canceled, not failed, if aborted while a renewal waits for the new session', async () => {
  const onSettled = vi.fn();
  const signals: AbortSignal[] = [];
  const session: SessionSource = async ({ signal }) =>
    signals.push(signal) === 2 ? new Promise<string>(() => {}) : URL_1;
  const scene = stage(<ModalSubject session={session} onSettled={onSettled} />);
  click('Pay');
  const flow = await scene.opened();
  await finish(() => flow.renew());
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  click('Abort');
  click('Pay');
  await settle();
  expect(onSettled.mock.calls).toEqual([[{ status: 'canceled', by: 'merchant' }]]);
  expect(signals[1]?.aborted).toBe(true);
  expect(failures).toEqual([]);
  // The canceled flow blocks nothing.
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await finish(() => scene.fake.flows[1]!.complete());
  expect(onSettled).toHaveBeenLastCalledWith({ status: 'completed', detail: undefined });
});

it('R-51 a session without a factory reports expired with the payer’s request to renew', async () => {
  const onSettled = vi.fn();
  const scene = stage(<ModalSubject session={URL_1} onSettled={onSettled} />);
  click('Pay');
  const flow = await scene.opened();
  await finish(() => flow.renew());
  expect(onSettled.mock.calls).toEqual([[{ status: 'expired', renew: true }]]);
  expect(scene.fake.flows).toHaveLength(1);
});

/** Advances the clock, then lets promises and React settle; `setTimeout` is faked here. */
async function finishTimers(ms: number): Promise<void> {
  await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
}

it('does not abort the signal of a session that was opened and paid', async () => {
  let signal!: AbortSignal;
  const scene = stage(
    <ModalSubject
      session={async (context) => {
        ({ signal } = context);
        return URL_1;
      }}
    />,
  );
  click('Pay');
  const flow = await scene.opened();
  await finish(() => flow.complete());
  expect(signal.aborted).toBe(false);
});

it('pay without any session fails with session_invalid', async () => {
  stage(<ModalSubject session={undefined as never} />);
  click('Pay');
  await settle();
  expect(screen.getByRole('status').textContent).toBe('settled failed session_invalid');
});

it('passes the reason retry after a failure, and initial after a cancel', async () => {
  const reasons: string[] = [];
  const session: SessionSource = async ({ reason }) => {
    reasons.push(reason);
    if (reasons.length === 1) throw new Error('down');
    return URL_1;
  };
  const scene = stage(<ModalSubject session={session} />);
  click('Pay');
  await settle();
  click('Pay');
  const flow = await scene.opened();
  await finish(() => flow.cancel());
  click('Pay');
  await waitFor(() => expect(scene.fake.flows).toHaveLength(2));
  await settle();
  expect(reasons).toEqual(['initial', 'retry', 'initial']);
});

describe('prefetch', () => {
  function counted() {
    const reasons: string[] = [];
    const signals: AbortSignal[] = [];
    const session: SessionFactory = async ({ reason, signal }) => {
      reasons.push(reason);
      signals.push(signal);
      return reasons.length === 1 ? URL_1 : URL_2;
    };
    return { reasons, signals, session };
  }

  it('fetches script and session once, before the click', async () => {
    const { reasons, session } = counted();
    const fake = createFakeLoader();
    const preload = vi.spyOn(fake.loader, 'preload');
    const scene = stage(<ModalSubject session={session} />, { fake });
    click('Prefetch');
    click('Prefetch');
    await settle();
    expect(preload).toHaveBeenCalled();
    expect(reasons).toEqual(['initial']);
    expect(screen.getByRole('status').textContent).toBe('idle');
    // Creates a new function on every render, like most apps.
    scene.show(<ModalSubject session={(context) => session(context)} />);
    click('Pay');
    expect((await scene.opened()).url).toBe(URL_1);
    expect(reasons).toEqual(['initial']);
  });

  it('R-51 a prefetched session that has expired is replaced', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { reasons, session } = counted();
    const scene = stage(<ModalSubject session={session} />);
    click('Prefetch');
    await settle();
    vi.setSystemTime(Date.now() + 30 * MINUTE_MS);
    click('Pay');
    expect((await scene.opened()).url).toBe(URL_2);
    expect(reasons).toEqual(['initial', 'expired']);
  });

  it('is discarded and aborted when sessionKey changes, by reset and by abort', async () => {
    for (const forget of ['key', 'Reset', 'Abort'] as const) {
      const { reasons, signals, session } = counted();
      const scene = stage(<ModalSubject session={session} sessionKey="total 1" />);
      click('Prefetch');
      await settle();
      if (forget === 'key') scene.show(<ModalSubject session={session} sessionKey="total 2" />);
      else click(forget);
      click('Pay');
      const flow = await scene.opened();
      expect(flow.url).toBe(URL_2);
      expect(reasons).toHaveLength(2);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
      await finish(() => flow.cancel());
      scene.unmount();
    }
  });

  it('fails silently, and the click requests again', async () => {
    let calls = 0;
    const scene = stage(
      <ModalSubject session={async () => (calls++ === 0 ? Promise.reject(new Error('down')) : URL_1)} />,
    );
    click('Prefetch');
    await settle();
    expect(screen.getByRole('status').textContent).toBe('idle');
    click('Pay');
    await scene.opened();
    expect(calls).toBe(2);
  });

  it.each<[string, SessionSource]>([
    ['a session', URL_2],
    ['a function', async () => URL_2],
  ])('yields to %s passed to pay', async (_what, other) => {
    const { signals, session } = counted();
    function Subject() {
      const { pay, prefetch } = useEmbeddedPayment({ session });
      return <button onMouseEnter={prefetch} onClick={() => void pay(other)} />;
    }
    const scene = stage(<Subject />);
    fireEvent.mouseEnter(screen.getByRole('button'));
    await settle();
    fireEvent.click(screen.getByRole('button'));
    expect((await scene.opened()).url).toBe(URL_2);
    expect(signals[0]!.aborted).toBe(true);
  });

  it('yields to a session in the props', async () => {
    const { signals, session } = counted();
    const scene = stage(<ModalSubject session={session} />);
    click('Prefetch');
    await settle();
    scene.show(<ModalSubject session={URL_2} />);
    click('Pay');
    expect((await scene.opened()).url).toBe(URL_2);
    expect(signals[0]!.aborted).toBe(true);
  });
});

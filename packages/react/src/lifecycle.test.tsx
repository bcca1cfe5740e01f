// However a component mounts and unmounts, it has one session, one frame and one result, which is never lost.
import { StrictMode } from 'react';
import { render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedFlow, type PaymentResult } from './index.js';
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
} from '../test/subjects.js';

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

  it('R-4 requests one session, opens one flow and reports its result once', async () => {
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
  ] as const)('R-51 reports %s', async (how, result) => {
    const { fake, onSettled } = scene();
    const flow = await open(kind, fake);
    await finish(() => flow[how]());
    expect(onSettled.mock.calls).toEqual([[result]]);
  });

  it('reports an SDK failure as flow_failed', async () => {
    const { fake, onSettled } = scene();
    const flow = await open(kind, fake);
    await finish(() => flow.fail(new Error('broken')));
    expect(onSettled).toHaveBeenCalledTimes(1);
    expect(onSettled.mock.calls[0]![0]).toMatchObject({ status: 'failed', error: { code: 'flow_failed' } });
  });
});

describe.each([true, false])('StrictMode %s', (strict) => {
  it('settles with no_loader and advice if there is neither provider nor option', async () => {
    const onSettled = vi.fn<(result: PaymentResult) => void>();
    const session = vi.fn(async () => URL_1);
    const modal = <ModalSubject session={session} onSettled={onSettled} />;
    render(strict ? <StrictMode>{modal}</StrictMode> : modal);
    click('Pay');
    await settle();
    const [[result]] = onSettled.mock.calls as [[PaymentResult]];
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'no_loader', message: expect.stringContaining('<EmbeddedProvider loader>') as string },
    });
    expect(screen.getByRole('status').textContent).toBe('settled failed no_loader');
    expect(session).not.toHaveBeenCalled();
  });

  it('shows no_loader inline, without opening a flow or requesting a session', async () => {
    const onError = vi.fn();
    const inline = <EmbeddedFlow flow="wallet" session={URL_1} onError={onError} />;
    render(strict ? <StrictMode>{inline}</StrictMode> : inline);
    await settle();
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError.mock.calls[0]![0]).toMatchObject({ code: 'no_loader' });
    expect(screen.getByRole('alert')).toBeTruthy();
  });

  it('a modal unmounted while open still reports its verdict', async () => {
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

  it('a modal unmounted while preparing opens once, with one session', async () => {
    const onSettled = vi.fn();
    let resolveSession!: (url: string) => void;
    const session = vi.fn(() => new Promise<string>((resolve) => (resolveSession = resolve)));
    const scene = stage(<ModalSubject session={session} onSettled={onSettled} />, { strict });
    click('Pay');
    await settle();
    scene.show(<p>another route</p>);
    resolveSession(URL_1);
    const flow = await scene.opened();
    await finish(() => flow.complete());
    expect(session).toHaveBeenCalledTimes(1);
    expect(onSettled).toHaveBeenCalledTimes(1);
  });

  it('a modal unmounted at the moment of its verdict reports it', async () => {
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

  it('an inline flow unmounted while preparing opens nothing, aborts its request and reports unknown', async () => {
    let signal!: AbortSignal;
    let resolveSession!: (url: string) => void;
    const scene = stage(
      <InlineSubject
        session={(context) => {
          ({ signal } = context);
          return new Promise((resolve) => (resolveSession = resolve));
        }}
      />,
      { strict },
    );
    await settle();
    scene.show(null);
    await settle();
    resolveSession(URL_1);
    await settle();
    expect(signal.aborted).toBe(true);
    expect(scene.fake.flows).toEqual([]);
    expect(scene.events).toEqual([{ type: 'settled', flow: 'payment', result: { status: 'unknown' } }]);
  });

  it.each([
    ['complete', { status: 'completed', detail: undefined }],
    ['expire', { status: 'expired' }],
  ] as const)(
    'R-51 an inline flow unmounted at the moment of its verdict (%s) reports the verdict',
    async (how, result) => {
      const onSettled = vi.fn();
      const scene = stage(<InlineSubject session={URL_1} onSettled={onSettled} />, { strict });
      const flow = await scene.opened();
      flow[how]();
      scene.unmount();
      await settle();
      expect(onSettled.mock.calls).toEqual([[result]]);
      expect(scene.events.at(-1)).toEqual({ type: 'settled', flow: 'payment', result });
    },
  );

  it('an inline flow unmounted after its verdict reports nothing more', async () => {
    const scene = stage(<InlineSubject session={URL_1} />, { strict });
    const flow = await scene.opened();
    await finish(() => flow.complete());
    const before = [...scene.events];
    scene.unmount();
    await settle();
    expect(scene.events).toEqual(before);
  });

  it('reports completed again when a paid session is shown again', async () => {
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

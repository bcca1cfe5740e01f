// A flow keeps its frame and verdict when it is hidden and shown again, suspended or remounted.
import * as React from 'react';
import { useState, type ReactElement } from 'react';
import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import {
  click,
  finish,
  InlineSubject,
  ModalSubject,
  settle,
  stage,
  SUBJECTS,
  URL_1,
  URL_2,
} from '../test/subjects.js';

it('after a remount, as by hot reload, the modal keeps its verdict and the inline flow restarts', async () => {
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
  'suspended, then %s: a hidden inline flow keeps its frame until removed',
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
      '%s: keeps its frame and verdict when hidden and shown',
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

    it('inline, hidden from the start, requests nothing until it is shown', async () => {
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

    it('inline, removed while hidden, closes and reports unknown', async () => {
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

// Counts the React commits that the library causes: at most 4 for a whole payment.
import { Profiler, type ProfilerOnRenderCallback } from 'react';
import { expect, it, vi } from 'vitest';
import { click, finish, stage, SUBJECTS, URL_1 } from '../test/subjects.js';

it.each([
  // preparing, open, settled
  ['modal', 3],
  // ready, settled; the mount itself is the merchant's
  ['inline', 2],
] as const)('a %s payment commits the tree %d times', async (kind, times) => {
  const Subject = SUBJECTS[kind];
  const onRender = vi.fn<ProfilerOnRenderCallback>();
  const scene = stage(
    <Profiler id="merchant" onRender={onRender}>
      <Subject session={async () => URL_1} />
    </Profiler>,
    { strict: false },
  );
  if (kind === 'modal') click('Pay');
  const flow = await scene.opened();
  await finish(() => flow.complete());
  expect(onRender.mock.calls.map(([, phase]) => phase)).toEqual(['mount', ...Array(times).fill('update')]);
});

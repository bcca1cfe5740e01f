/** Slots that business units share. */
import { afterEach, expect, it, vi } from 'vitest';
import { Slots } from './slots.js';

afterEach(() => void vi.useRealTimers());

/** Work that the test ends one by one. */
function held(size: number) {
  const slots = new Slots(size);
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (...owners: string[]): void => {
    for (const owner of owners)
      void slots.run(owner, async () => {
        running.push(owner);
        await new Promise<void>((resolve) => ends.push(resolve));
        running.splice(running.indexOf(owner), 1);
      });
  };
  /** Ends the oldest work. */
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { running, begin, end, settle: () => new Promise(setImmediate) };
}

it('R-97 leaves a quarter of the slots to owners that have none', async () => {
  const { running, begin, settle } = held(8);
  begin(...Array<string>(8).fill('large'));
  await settle();
  expect(running).toEqual(Array(6).fill('large'));
  begin('small', 'small', 'other');
  await settle();
  expect(running.slice(6)).toEqual(['small', 'other']);
});

it('R-97 grants a slot to the owner with the fewest, then in the order of requests', async () => {
  const { running, begin, end, settle } = held(3);
  begin('large', 'large', 'large', 'large', 'small', 'other');
  await settle();
  await end();
  await end();
  expect(running).toEqual(['large', 'small', 'other']);
  await end();
  expect(running).toEqual(['small', 'other', 'large']);
});

it('R-97 leaves a quarter of the slots to owners whose work was fast', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { running, begin, end, settle } = held(4);
  const slow = ['a', 'b', 'c', 'd'];
  begin(...slow);
  await settle();
  expect(running).toEqual(slow);
  vi.advanceTimersByTime(3_000);
  begin(...slow);
  for (const _ of slow) await end();
  expect(running).toEqual(['a', 'b', 'c']);
  begin('small');
  await settle();
  expect(running).toEqual(['a', 'b', 'c', 'small']);
});

it('R-97 lets an owner use all slots a minute after its last slow work', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { running, begin, end, settle } = held(4);
  begin('a');
  await settle();
  vi.advanceTimersByTime(3_000);
  await end();
  vi.advanceTimersByTime(60_000);
  begin('b', 'c', 'd', 'a');
  await settle();
  expect(running).toEqual(['b', 'c', 'd', 'a']);
});

it('R-91 finds the next call without scanning all that wait', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { begin, end, settle, running } = held(4);
  const slow = Array.from({ length: 20 }, (_, n) => `unit-${n}`);
  for (const unit of slow) {
    begin(unit);
    await settle();
    vi.advanceTimersByTime(2_500);
    await end();
  }
  const now = vi.spyOn(performance, 'now');
  for (let n = 0; n < 50; n++) begin(...slow);
  await settle();
  expect(running).toHaveLength(3);
  expect(now.mock.calls.length).toBeLessThan(2_000);
});

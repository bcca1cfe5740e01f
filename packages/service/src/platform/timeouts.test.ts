import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withTimeout, onDelay } from './timeouts.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('R-61: passes on a timely result or error and clears its timer', async () => {
  await expect(withTimeout(Promise.resolve('here'), 1_000, 'too_late')).resolves.toBe('here');
  const failure = new Error('refused');
  await expect(withTimeout(Promise.reject(failure), 1_000, 'too_late')).rejects.toBe(failure);
  expect(vi.getTimerCount()).toBe(0);
});

it('R-61: rejects with the code at the deadline, not before', async () => {
  const ended = vi.fn<(error: unknown) => void>();
  withTimeout(new Promise(() => undefined), 1_000, 'too_late').catch(ended);
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: 'too_late' }));
});

it('R-61: reports a late result once and still returns it', async () => {
  let come: ((response: string) => void) | undefined;
  const late = vi.fn<() => void>();
  const answer = onDelay(new Promise<string>((resolve) => (come = resolve)), 1_000, late);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(late).toHaveBeenCalledOnce();
  come?.('at last');
  await expect(answer).resolves.toBe('at last');
});

import { onTestFinished, vi } from 'vitest';

/** Until the test ends, time by `performance.now` passes a hundred times faster: limits of waiting, but no timers. */
export function hurry(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  const passing = setInterval(() => vi.advanceTimersByTime(1_000), 10);
  onTestFinished(() => {
    clearInterval(passing);
    vi.useRealTimers();
  });
}

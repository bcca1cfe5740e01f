/** The fastest of ten runs of `work`, ms, to exclude the machine's pauses. */
export function fastest(work: () => unknown): number {
  const runs = Array.from({ length: 10 }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  });
  return Math.min(...runs);
}

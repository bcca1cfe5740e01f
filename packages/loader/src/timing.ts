/** Polling interval. */
export const POLL_MS = 100;

/** Timeout for a flow that was asked to close to report its result. */
export const CLOSE_MS = 3_000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when a prerendered page is visited. Until then it must load and open nothing. */
export async function untilVisited(): Promise<void> {
  if ((document as { prerendering?: boolean }).prerendering)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve));
}

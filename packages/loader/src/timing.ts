export const POLL_MS = 100;

/** How long a flow may take to report its result after it was asked to close. */
export const CLOSE_MS = 3_000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves once `isDone`, or after `limitMs`. */
export async function until(isDone: () => unknown, limitMs: number): Promise<void> {
  for (let waited = 0; waited < limitMs && !isDone(); waited += POLL_MS) await pause(POLL_MS);
}

/** Whether the browser is prerendering this page. A page may have replaced the property. */
export const isPrerendering = (): boolean =>
  (globalThis.document as { prerendering?: unknown } | undefined)?.prerendering === true;

/** Resolves when a prerendered page is visited. Before that, nothing may be loaded or opened. */
export async function untilVisited(): Promise<void> {
  if (isPrerendering())
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve));
}

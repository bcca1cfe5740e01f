/**
 * What passes between the first script of a hosted page's HTML and the page's own script, which comes later: the
 * history entry, in which the secret waits for a reload, and the answer to the first question.
 */

/** What the entry of the browser's history keeps for a reload: nothing of it is in the address. */
export interface Kept {
  secret?: string;
  /** The payment attempt whose outcome the page did not see yet. */
  attemptId?: string;
}

/** What the service answered, null where nothing can be said of it. */
export type Opening = Promise<{ status: number; body: unknown } | null>;

declare global {
  interface Window {
    /** The answer to `session`, asked for while the page's script was loading. */
    opening?: Opening | undefined;
    /** Of a page that waits for its session: resolves when that is here, with its answer in `opening`. */
    begun?: Promise<void> | undefined;
  }
}

export function kept(own: Window): Kept {
  return (own.history.state as Kept | null) ?? {};
}

/** Says in the page's place that its script cannot be had, in the words that came with the HTML. */
export function showBroken(document: Document): void {
  const page = document.querySelector('#page') as Element;
  page.textContent = document.documentElement.dataset['broken'] as string;
}

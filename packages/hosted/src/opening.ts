/**
 * Data shared by the inline script in a hosted page's HTML and the page's main script, which loads later: the history entry,
 * which keeps the secret for a reload, and the first response.
 */

/** Kept in the browser's history entry for a reload. None of it is in the address. */
export interface Kept {
  secret?: string;
  /** The payment attempt whose outcome the page has not seen yet. */
  attemptId?: string;
}

/** The service's response, or null if it is unusable. */
export type Opening = Promise<{ status: number; body: unknown } | null>;

declare global {
  interface Window {
    /** The response to `session`, requested while the page's script was loading. */
    opening?: Opening | undefined;
    /** On a page that waits for its session: resolves when `opening` has the response. */
    begun?: Promise<void> | undefined;
  }
}

export function kept(own: Window): Kept {
  return (own.history.state as Kept | null) ?? {};
}

/** Shows that the page's script failed to load, with a text from the HTML. */
export function showBroken(document: Document): void {
  const page = document.querySelector('#page') as Element;
  page.textContent = document.documentElement.dataset['broken'] as string;
}

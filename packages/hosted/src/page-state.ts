/** What a hosted page's inline scripts share with its main script, which loads later. */

/** Stored in the browser's history entry, to survive a reload without being in the address. */
export interface HistoryState {
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
    /** Set on a page that waits for its session. Resolves once `opening` is set. */
    opened?: Promise<void> | undefined;
  }
}

export function historyState(win: Window): HistoryState {
  return (win.history.state as HistoryState | null) ?? {};
}

/** Shows that the page's script failed to load, with a text from the HTML. */
export function showBroken(document: Document): void {
  const page = document.querySelector('#page') as Element;
  page.textContent = document.documentElement.dataset['broken'] as string;
}

/** Whether the frame is shown inline instead of in a dialog. */
export const isInline = ({ location }: Window): boolean => /[?&]inline=/.test(location.search);

/** Request timeout, ms. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** Builds the URL of an API route next to the page's own address. */
export function apiUrl(win: Window, path: string): string {
  return `${win.location.pathname}/api/${path}`;
}

export function authorization(secret: string): { authorization: string } {
  return { authorization: `Bearer ${secret}` };
}

import {
  apiUrl,
  authorization,
  historyState,
  isInline,
  REQUEST_TIMEOUT_MS,
  showBroken,
} from './page-state.js';

/**
 * Runs before the page's script. Moves the secret from the address to the history entry, so that it survives a reload.
 * Requests the session while the page's script is loading, marks framed pages, which have their own layout, and shows
 * an error if the page's script fails to load.
 */
export function begin(win: Window): void {
  prepare(win);
  const { history, location } = win;
  const hash = location.hash.slice(1);
  if (hash !== '') history.replaceState({ secret: hash }, '', location.pathname + location.search);
  // Opening the link again in the same tab doesn't reload the page, so the secret would stay in the address.
  win.addEventListener('hashchange', () => location.reload());
  const { secret } = historyState(win);
  if (secret !== undefined) win.opening = requestSession(win, secret);
}

/** Marks the document for its style sheet, and watches for a page script that fails to load. */
export function prepare(win: Window): void {
  const { document } = win;
  if (win.parent !== win) document.documentElement.dataset['framed'] = '';
  markInline(win);
  win.addEventListener(
    'error',
    ({ target }) => {
      // Ignores failures of elements that browser extensions added.
      if ((target as Partial<HTMLScriptElement>).type === 'module') showBroken(document);
    },
    true,
  );
}

/** Marks inline flows, whose header has no close button next to it. */
export function markInline(win: Window): void {
  if (isInline(win)) win.document.documentElement.dataset['inline'] = '';
}

async function requestSession(win: Window, secret: string): NonNullable<Window['opening']> {
  try {
    const response = await win.fetch(apiUrl(win, 'session'), {
      headers: authorization(secret),
      cache: 'no-store',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

import { ANSWERED_MS, apiUrl, authorization } from './page-api.js';
import { isInline } from './pages/kit/shell/surroundings.js';
import { kept, showBroken } from './opening.js';

/**
 * Runs first. Moves the secret from the address into the history entry, so that it survives a reload. Requests the
 * session while the page's script is loading, marks framed pages, which have their own layout, and shows an error if
 * the page's script fails to load.
 */
export function begin(own: Window): void {
  mark(own);
  const { history, location } = own;
  const given = location.hash.slice(1);
  if (given !== '') history.replaceState({ secret: given }, '', location.pathname + location.search);
  // The link was opened again in a tab that already shows it. The page doesn't reload, so the secret would stay in the address.
  own.addEventListener('hashchange', () => location.reload());
  const { secret } = kept(own);
  if (secret !== undefined) own.opening = ask(own, secret);
}

/** Sets on the document what must be known before its script has loaded. */
export function mark(own: Window): void {
  const { document } = own;
  if (own.parent !== own) document.documentElement.dataset['framed'] = '';
  markInline(own);
  own.addEventListener(
    'error',
    ({ target }) => {
      // Ignore elements that a browser extension added and that failed to load.
      if ((target as Partial<HTMLScriptElement>).type === 'module') showBroken(document);
    },
    true,
  );
}

/** Inline, no dialog draws its close button over the page's header. */
export function markInline(own: Window): void {
  if (isInline(own)) own.document.documentElement.dataset['inline'] = '';
}

async function ask(own: Window, secret: string): NonNullable<Window['opening']> {
  try {
    const answer = await own.fetch(apiUrl(own, 'session'), {
      headers: authorization(secret),
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWERED_MS),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return null;
  }
}

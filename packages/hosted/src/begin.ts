import { ANSWERED_MS, apiUrl, authorization } from './asking.js';
import { kept, showBroken } from './opening.js';

/**
 * Before anything else runs: takes the secret out of the address and keeps it for a reload, asks for the session while
 * the page's script is still on its way, marks a framed page, which is laid out otherwise, and says so where the
 * page's script cannot be had.
 */
export function begin(own: Window): void {
  mark(own);
  const { history, location } = own;
  const given = location.hash.slice(1);
  if (given !== '') history.replaceState({ secret: given }, '', location.pathname + location.search);
  // Its link once more, entered in a tab that is open already: that loads nothing, and the secret would stay.
  own.addEventListener('hashchange', () => location.reload());
  const { secret } = kept(own);
  if (secret !== undefined) own.opening = ask(own, secret);
}

/** What a page says of itself before its script is here. */
export function mark(own: Window): void {
  const { document } = own;
  if (own.parent !== own) document.documentElement.dataset['framed'] = '';
  own.addEventListener(
    'error',
    ({ target }) => {
      // What an extension puts into the page, and cannot have, is none of the page's own.
      if ((target as Partial<HTMLScriptElement>).type === 'module') showBroken(document);
    },
    true,
  );
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

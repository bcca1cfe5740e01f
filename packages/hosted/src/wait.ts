/**
 * A page that was opened ahead of its session (decision 0064). The session comes as it does to any page, in the fragment
 * of the address, `#{id}?{search}/{secret}`: a change of fragment is no new load.
 */
import { FRAMED_BY, PAGE_KEY } from '../../service/src/shared/warm.js';
import { mark } from './begin.js';
import { ANSWERED_MS, apiUrl, authorization } from './asking.js';

/**
 * Takes the first session that comes out of the address and asks for it, telling who frames the page. Where the service
 * does not let this page show it, whatever the reason, the session's own page takes the place of this one, and the
 * browser decides as ever.
 */
export function wait(own: Window): void {
  mark(own);
  const { history, location } = own;
  const given = (): string[] => /^#([\w-]+(?:\?[^/]*)?)\/(.*)/.exec(location.hash) ?? [];
  const [, early, itsSecret] = given();
  // Loaded with its session, as after a crash, there was nothing ahead of it.
  if (early !== undefined) return location.replace(`${early}#${itsSecret}`);
  // Nobody is there to send a session.
  if (own.parent === own) return;
  own.begun = new Promise((resolve) => {
    const take = (): void => {
      const [, address, secret] = given();
      if (address === undefined || secret === undefined) return;
      own.removeEventListener('hashchange', take);
      // From now on this is the address of the session's own page, for a reload too.
      history.replaceState({ secret }, '', address);
      show(own, secret).then(
        (isShown) => (isShown ? resolve() : location.reload()),
        () => location.reload(),
      );
    };
    own.addEventListener('hashchange', take);
  });
}

/** Asks for the session, and dresses the page as its business unit; false where it is not for this page to show. */
async function show(own: Window, secret: string): Promise<boolean> {
  const { document } = own;
  const { content: framer } = document.querySelector('meta[name=allowed-origins]') as HTMLMetaElement;
  const answer = await own.fetch(apiUrl(own, 'session'), {
    headers: { ...authorization(secret), [FRAMED_BY]: framer },
    cache: 'no-store',
    signal: AbortSignal.timeout(ANSWERED_MS),
  });
  const key = answer.headers.get(PAGE_KEY) ?? '';
  const brands = [...document.querySelectorAll<HTMLElement>('.brand')];
  const others = brands.filter(({ dataset }) => dataset['key'] !== key);
  if (!answer.ok || others.length === brands.length) return false;
  const body: unknown = await answer.json();
  for (const other of others) other.remove();
  document.documentElement.dataset['key'] = key;
  own.opening = Promise.resolve({ status: answer.status, body });
  return true;
}

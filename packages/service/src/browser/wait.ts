/**
 * A page that was opened ahead of its session (decision 0062). The session comes as it does to any page, in the fragment
 * of the address, `#{id}/{secret}`: a change of fragment is no new load.
 */
import { FRAMED_BY, PAGE_KEY } from '../shared/warm.js';
import { mark } from './begin.js';
import { apiUrl, authorization } from './opening.js';

/**
 * Takes the first session that comes out of the address and asks for it, telling who frames the page. Where the service
 * does not let this page show it, whatever the reason, the session's own page takes the place of this one, and the
 * browser decides as ever.
 */
export function wait(own: Window): void {
  mark(own);
  const { document, history, location } = own;
  const given = (): string[] => /^#([\w-]+)\/(.*)/.exec(location.hash) ?? [];
  const [, early, itsSecret] = given();
  // Loaded with its session, as after a crash, there was nothing ahead of it.
  if (early !== undefined) return location.replace(`${early}${location.search}#${itsSecret}`);
  // Nobody is there to send a session.
  if (own.parent === own) return;
  own.begun = new Promise((resolve) => {
    const take = async (): Promise<void> => {
      const [, id, secret] = given();
      if (id === undefined || secret === undefined) return;
      own.removeEventListener('hashchange', take);
      // From now on this is the address of the session's own page, for a reload too.
      history.replaceState({ secret }, '', id + location.search);
      const { content: origin } = document.querySelector('meta[name=allowed-origins]') as HTMLMetaElement;
      try {
        const answer = await own.fetch(apiUrl(own, 'session'), {
          headers: { ...authorization(secret), [FRAMED_BY]: origin },
          cache: 'no-store',
        });
        const key = answer.headers.get(PAGE_KEY);
        const brands = [...document.querySelectorAll<HTMLElement>('.brand')];
        if (answer.ok && brands.some(({ dataset }) => dataset['key'] === key)) {
          for (const brand of brands) if (brand.dataset['key'] !== key) brand.remove();
          document.documentElement.dataset['key'] = key as string;
          own.opening = Promise.resolve({ status: answer.status, body: await answer.json() });
          return resolve();
        }
      } catch {
        // Its own page will tell.
      }
      location.reload();
    };
    own.addEventListener('hashchange', take);
  });
}

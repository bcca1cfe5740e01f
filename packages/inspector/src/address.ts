/** Addresses: every screen, filter and event has its own URL. */
import { useEffect, useState } from 'preact/hooks';

const MOVED = 'inspector-moved';

export function navigate(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  dispatchEvent(new Event(MOVED));
}

export function useAddress(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const read = (): void => setHref(location.href);
    addEventListener(MOVED, read);
    addEventListener('popstate', read);
    return () => {
      removeEventListener(MOVED, read);
      removeEventListener('popstate', read);
    };
  }, []);
  return new URL(href);
}

/** Sets parameters of the address. An empty value removes the parameter. */
export function withQuery(address: URL, changes: Record<string, string>): string {
  const next = new URL(address);
  for (const [name, value] of Object.entries(changes))
    if (value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  return next.pathname + next.search;
}

/** The path of a record. The id may be any text. */
export const addressOf = (list: 'requests' | 'sessions' | 'webhooks' | 'mail', id: string): string =>
  `/${list}/${encodeURIComponent(id)}`;

/** Opens links within the inspector without loading a page. */
export function followLinks(): void {
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || link.origin !== location.origin || link.target !== '') return;

    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

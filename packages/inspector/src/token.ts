/** The inspector's token comes in the URL fragment and is stored for this tab. */
const STORAGE_KEY = 'inspector-token';

/** Moves the token from the address to storage, so that it is not copied or bookmarked. */
export function takeToken(): void {
  if (location.hash.length < 2) return;
  sessionStorage.setItem(STORAGE_KEY, location.hash.slice(1));
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function token(): string {
  return sessionStorage.getItem(STORAGE_KEY) ?? '';
}

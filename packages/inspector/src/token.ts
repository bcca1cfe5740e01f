/** The inspector's token comes in the URL fragment and is stored for this tab. */
const STORAGE_KEY = 'inspector-token';

/** Moves the token from the address to storage, so that it is not copied or bookmarked. */
export function takeToken(): void {
  if (location.hash.length < 2) return;
  keepToken(location.hash);
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Accepts a pasted address or the token alone. */
export function keepToken(given: string): void {
  sessionStorage.setItem(STORAGE_KEY, given.slice(given.indexOf('#') + 1).trim());
}

export function token(): string {
  return sessionStorage.getItem(STORAGE_KEY) ?? '';
}

/** The inspector's token comes in the URL fragment and stays in this tab. */
const KEPT_AS = 'inspector-token';

/** Removes the token from the address, so that it is not copied or bookmarked. */
export function takeToken(): void {
  if (location.hash.length < 2) return;
  keepToken(location.hash);
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Accepts a pasted address or the token alone. */
export function keepToken(given: string): void {
  sessionStorage.setItem(KEPT_AS, given.slice(given.indexOf('#') + 1).trim());
}

export function token(): string {
  return sessionStorage.getItem(KEPT_AS) ?? '';
}

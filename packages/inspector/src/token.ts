/** What opens the inspector: it comes in the address's fragment, and is kept for this tab alone. */
const KEPT_AS = 'inspector-token';

/** Takes it out of the address, where it would be copied and bookmarked with it. */
export function takeToken(): void {
  if (location.hash.length < 2) return;
  keepToken(location.hash);
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Of an address that was pasted, or of the token alone. */
export function keepToken(given: string): void {
  sessionStorage.setItem(KEPT_AS, given.slice(given.indexOf('#') + 1).trim());
}

export function token(): string {
  return sessionStorage.getItem(KEPT_AS) ?? '';
}

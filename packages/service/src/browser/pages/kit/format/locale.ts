/** The page's language, chosen by the service from what the browser asked for; English where there is no page. */
export function language(): string {
  return globalThis.document?.documentElement.lang || 'en';
}

/** The browser's own variety of that language, for `Intl`: `es-MX` rather than `es`. */
export function locale(): string {
  const spoken = language();
  const own = globalThis.navigator?.languages?.find((tag) => tag.toLowerCase().startsWith(spoken));
  return own !== undefined && own.includes('-') ? own : `${spoken}-US`;
}

/** The browser's own variety of the page's language, for `Intl`: `es-MX` rather than `es`. */
export function locale(): string {
  const language = document.documentElement.lang || 'en';
  const own = navigator.languages.find((tag) => tag.toLowerCase().startsWith(language));
  return own !== undefined && own.includes('-') ? own : `${language}-US`;
}

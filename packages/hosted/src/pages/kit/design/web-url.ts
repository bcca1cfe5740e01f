/** An address that a link may lead to, or null: `javascript:` and its like never become one. */
export function webUrl(value: string | undefined): string | null {
  if (value === undefined || !URL.canParse(value)) return null;
  const url = new URL(value);
  return /^https?:/.test(url.href) ? url.href : null;
}

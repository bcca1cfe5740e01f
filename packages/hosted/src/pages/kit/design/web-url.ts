/** Returns the URL if it is safe to link to, or null, for example for `javascript:`. */
export function webUrl(value: string | undefined): string | null {
  if (value === undefined || !URL.canParse(value)) return null;
  const url = new URL(value);
  return /^https?:/.test(url.href) ? url.href : null;
}

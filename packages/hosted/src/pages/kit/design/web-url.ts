/** An address that is safe to link to, or null: never `javascript:` and the like. */
export function webUrl(value: string | undefined): string | null {
  if (value === undefined || !URL.canParse(value)) return null;
  const url = new URL(value);
  return /^https?:/.test(url.href) ? url.href : null;
}

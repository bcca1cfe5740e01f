/** Expiry dates of cards as they are typed: `MM / YY` in the field. */
/** `1234` → `12 / 34`, while it is typed; a first digit above 2 is a month, and 2 may begin a year. */
export function formatExpiry(typed: string, typing: boolean): string {
  const digits = /^[3-9]/.test(typed) && typing ? `0${typed}` : typed;
  const month = digits.slice(0, 2);
  if (!/^(0[1-9]|1[0-2])$/.test(month)) return digits;
  let year = digits.slice(2, 6);
  // A year in full is taken as it is typed, and becomes its last two digits when complete.
  if (year.length > 2)
    year = year.startsWith('20') ? (year.length === 4 ? year.slice(2) : year) : year.slice(0, 2);
  return year === '' && !typing ? month : `${month} / ${year}`;
}

/** What is formatted while it is typed: digits, or a month and what follows it. Null: it stays as it is typed. */
export function maskable(value: string): string | null {
  const [, month, rest = ''] = /^\s*(0?[1-9]|1[0-2])\s*[/.\s-]\s*(\d{0,4})\s*$/.exec(value) ?? [];
  if (month !== undefined) return `${month.padStart(2, '0')}/${rest}`;
  return /^\d{0,2}$|^(0[1-9]|1[0-2])\d*$/.test(value.normalize('NFKC')) ? value : null;
}

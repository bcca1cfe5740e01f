/** A US ZIP code with or without its `+4`, typed with the dash or not: `12345` or `12345-6789`; null for anything else. */
export function readZip(typed: string): string | null {
  const [, five, four] = /^(\d{5})(?:[-\s]?(\d{4}))?$/.exec(typed.normalize('NFKC').trim()) ?? [];
  if (five === undefined) return null;
  return four === undefined ? five : `${five}-${four}`;
}

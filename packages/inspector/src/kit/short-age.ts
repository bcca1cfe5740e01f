const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Time since `at` in the largest unit, such as `3 min`. `now`: ms since the epoch. */
export function shortAge(at: string, now: number): string {
  const ms = now - Date.parse(at);
  const [length, unit] = UNITS.find(([length]) => ms >= length) ?? [1_000, 's'];
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}

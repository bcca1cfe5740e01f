const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_MS = 10 * 366 * 86_400_000;

/** Parses `31m`, `1h30m` or `2d` to ms. Returns null for anything else and for more than ten years. */
export function parseDuration(value: unknown): number | null {
  if (typeof value !== 'string' || !/^(\d{1,12}(\.\d{1,3})?(ms|s|m|h|d))+$/.test(value)) return null;

  const total = [...value.matchAll(/([\d.]+)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
  return total <= MAX_MS ? Math.round(total) : null;
}

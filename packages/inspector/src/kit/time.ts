const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A duration in its largest unit, such as `3 min`. */
export function shortDuration(ms: number): string {
  const [length, unit] = UNITS.find(([length]) => ms >= length) ?? [1_000, 's'];
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}

/** Time of day to the millisecond. On another day: the date, and the time to the second. */
export function shortTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, {
    ...(isToday ? { fractionalSecondDigits: 3 } : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    // In older engines `hour12: false` shows midnight as 24.
    hourCycle: 'h23',
  });
}

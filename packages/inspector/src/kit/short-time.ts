/** Time of day to the millisecond, or to the second and with its day where that is another than today. */
export function shortTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, {
    ...(isToday ? { fractionalSecondDigits: 3 } : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    // `hour12: false` is hour 24 for the first of a day in older engines, Node 20 among them.
    hourCycle: 'h23',
  });
}

/** Time of day, and the day where it is another than today's. */
export function shortTime(at: string): string {
  const date = new Date(at);
  // `hour12: false` is hour 24 for the first of a day in older engines, Node 20 among them.
  const time = date.toLocaleTimeString(undefined, { hourCycle: 'h23' });
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
    : `${date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })} ${time}`;
}

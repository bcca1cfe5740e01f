const letter = new Intl.DateTimeFormat('en-US', { month: 'narrow', timeZone: 'UTC' });

/** A bar chart of twelve months. `until` is a day of the last month, `YYYY-MM-DD`. */
export function Usage({ usage, until }: { usage: readonly number[]; until: string | undefined }) {
  const [year = 2000, month = 1] = (until ?? '').split('-').map(Number);
  const highest = Math.max(...usage, 1);
  return (
    <figure>
      <svg
        className="chart"
        viewBox="0 0 360 138"
        role="img"
        aria-label={`Water used in each of the last twelve months, in thousands of gallons: ${usage.join(', ')}`}
      >
        <line x1="0" y1="118" x2="360" y2="118" />
        {usage.map((used, index) => {
          const height = Math.round((used / highest) * 108);
          return <rect key={index} x={index * 30 + 4} y={116 - height} width="22" height={height} rx="4" />;
        })}
        {until !== undefined &&
          usage.map((_, index) => (
            <text key={index} x={index * 30 + 15} y="134">
              {letter.format(Date.UTC(year, month - usage.length + index))}
            </text>
          ))}
      </svg>
      <figcaption className="muted small">
        {usage.at(-1)},000 gallons this month, {usage.at(-2)},000 the month before
      </figcaption>
    </figure>
  );
}

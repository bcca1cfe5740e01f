/** Twelve months of water as bars. */
export function Usage({ usage }: { usage: readonly number[] }) {
  const highest = Math.max(...usage, 1);
  return (
    <figure>
      <svg
        className="chart"
        viewBox="0 0 360 120"
        role="img"
        aria-label={`Water used in each of the last twelve months, in thousands of gallons: ${usage.join(', ')}`}
      >
        <line x1="0" y1="118" x2="360" y2="118" />
        {usage.map((used, index) => {
          const height = Math.round((used / highest) * 108);
          return <rect key={index} x={index * 30 + 4} y={116 - height} width="22" height={height} rx="4" />;
        })}
      </svg>
      <figcaption className="muted small">
        {usage.at(-1)},000 gallons this month, {usage.at(-2)},000 the month before
      </figcaption>
    </figure>
  );
}

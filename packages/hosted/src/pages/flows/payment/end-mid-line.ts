/** A list is at least this high before it ends, px. */
const LEAST = 320;

/** Ends a list that scrolls in the middle of a line, wherever its lines wrap, so that it looks as if more follows. */
export function endMidLine(list: HTMLElement | null): void {
  if (list === null) return;
  const lines = [...list.children] as HTMLElement[];
  const observer = new ResizeObserver(() => {
    const middles = lines.map(({ offsetTop, offsetHeight }) => offsetTop + offsetHeight / 2);
    const end = middles.find((middle) => middle > LEAST);
    list.style.setProperty('--end', `${end}px`);
  });
  for (const line of lines) observer.observe(line);
}

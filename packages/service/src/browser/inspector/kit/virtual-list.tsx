/** A list of any length of which only what can be seen is in the document: rows of one height. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Drawn beyond either edge, so that a scroll does not run ahead of the rows. */
const BEYOND = 8;
const NARROW = matchMedia('(max-width: 760px)');
/** As in inspector.css. */
const rowHeight = (): number => (NARROW.matches ? 64 : 36);

interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  row: (item: T) => ComponentChildren;
  /** Called when the list leaves its beginning, and when it is there again. */
  onAway: (isAway: boolean) => void;
  /** The place of the item that is scrolled to, once it is there; -1 while it is not. */
  at: number;
}

export function VirtualList<T>({
  label,
  items,
  keyOf,
  row,
  onAway,
  at,
}: VirtualListProps<T>): preact.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, row: rowHeight() });
  const measure = useCallback((): number => {
    // Both its scrolling and its size are still told of when it is gone.
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setView({ top: scrollTop, height: clientHeight, row: rowHeight() });
    return scrollTop;
  }, []);
  useEffect(() => {
    const resized = new ResizeObserver(measure);
    if (box.current) resized.observe(box.current);
    return () => resized.disconnect();
  }, [measure]);
  const shownRef = useRef(-1);
  useLayoutEffect(() => {
    if (shownRef.current === -1 && at !== -1)
      box.current?.scrollTo({ top: Math.max(0, (at - 2) * rowHeight()) });
    shownRef.current = at;
  }, [at]);
  const first = Math.max(0, Math.floor(view.top / view.row) - BEYOND);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / view.row) + BEYOND);
  return (
    <div
      class="virtual"
      ref={box}
      onScroll={() => onAway(measure() > 4)}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <ol class="rows" style={{ height: `${items.length * view.row}px` }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ transform: `translateY(${(first + index) * view.row}px)` }}
          >
            {row(item)}
          </li>
        ))}
      </ol>
    </div>
  );
}

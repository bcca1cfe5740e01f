/** A list of any length that renders only its visible rows. All rows have the same height. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Extra rows rendered beyond each edge, so that fast scrolling shows no gaps. */
const BEYOND = 8;
const NARROW = matchMedia('(max-width: 760px)');
/** Must match inspector.css. */
const rowHeight = (): number => (NARROW.matches ? 64 : 36);

interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  /** @param isActive whether the Tab key reaches this row's links */
  row: (item: T, isActive: boolean) => ComponentChildren;
  /** Called when the user starts reading (scrolls away from the top, or focuses a row) and when they stop. */
  onAway: (isAway: boolean) => void;
}

export function VirtualList<T>({
  label,
  items,
  keyOf,
  row,
  onAway,
}: VirtualListProps<T>): preact.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, row: rowHeight() });
  const measure = useCallback((): boolean => {
    // Scroll and resize events may still arrive after unmounting.
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setView({ top: scrollTop, height: clientHeight, row: rowHeight() });
    // The button that shows newer items belongs to the list.
    return scrollTop > 4 || document.querySelector('.virtual :focus, .fresh:focus') !== null;
  }, []);
  useEffect(() => {
    const resized = new ResizeObserver(measure);
    if (box.current) resized.observe(box.current);
    return () => resized.disconnect();
  }, [measure]);
  const [active, activate] = useState<string | number>();
  const wantedRef = useRef<number>(undefined);
  /** Arrow keys, Home and End move between rows. Tab continues from the focused row. */
  const step = (event: KeyboardEvent): void => {
    const here = items.findIndex((item) => keyOf(item) === active);
    const isInside = event.target !== box.current && here !== -1;
    const places: Record<string, number> = {
      ArrowDown: isInside ? here + 1 : Math.ceil(view.top / view.row),
      ArrowUp: isInside ? here - 1 : 0,
      Home: 0,
      End: items.length - 1,
    };
    const place = places[event.key];
    if (place === undefined || event.altKey || event.ctrlKey || event.metaKey) return;

    event.preventDefault();
    wantedRef.current = Math.max(0, Math.min(items.length - 1, place));
    const top = wantedRef.current * view.row;
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    if (top < scrollTop) box.current?.scrollTo({ top });
    else if (top + view.row > scrollTop + clientHeight)
      box.current?.scrollTo({ top: top + view.row - clientHeight });
    measure();
    focusWanted();
  };
  /** Focuses a row now, or as soon as it is rendered. */
  const focusWanted = useCallback((): void => {
    const link = box.current?.querySelector<HTMLElement>(
      `[aria-posinset="${(wantedRef.current ?? -1) + 1}"] a`,
    );
    if (!link) return;

    wantedRef.current = undefined;
    link.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(focusWanted);
  const first = Math.max(0, Math.floor(view.top / view.row) - BEYOND);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / view.row) + BEYOND);
  return (
    <div
      class="virtual"
      ref={box}
      onScroll={() => onAway(measure())}
      onFocusIn={() => onAway(measure())}
      onFocusOut={() => setTimeout(() => onAway(measure()))}
      onKeyDown={step}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <ol class="rows" style={{ height: `${items.length * view.row}px` }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            onFocusIn={() => activate(keyOf(item))}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ transform: `translateY(${(first + index) * view.row}px)` }}
          >
            {row(item, keyOf(item) === active)}
          </li>
        ))}
      </ol>
    </div>
  );
}

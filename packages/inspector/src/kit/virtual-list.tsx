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
  /** @param isActive the row whose links the Tab key reaches */
  row: (item: T, isActive: boolean) => ComponentChildren;
  /** Called when the list leaves its beginning or the focus goes into it, and when neither is so any more. */
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
  const measure = useCallback((): boolean => {
    // Both its scrolling and its size are still told of when it is gone.
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setView({ top: scrollTop, height: clientHeight, row: rowHeight() });
    return scrollTop > 4 || box.current?.querySelector(':focus') != null;
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
  const [active, activate] = useState<string | number>();
  const wantedRef = useRef<number>(undefined);
  /** Arrows, Home and End go from row to row; Tab goes on from the row that has the focus. */
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
  /** At once where its row is drawn, else when it is. */
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

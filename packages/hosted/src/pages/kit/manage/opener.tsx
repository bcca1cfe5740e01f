import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../design/focus-on.js';

interface OpenerProps {
  open: boolean;
  button: ComponentChildren;
  /** Rendered instead of the button while it is open. */
  children: ComponentChildren;
}

/** A button that is replaced by the content it opens, and gets the focus back when the content closes. */
export function Opener({ open, button, children }: OpenerProps) {
  const place = useFocusBack(open);
  return (
    <div ref={place} class="opener">
      {open ? children : button}
    </div>
  );
}

/**
 * When content closes, focuses the first button in the returned element, which had opened it, unless something else has
 * the focus.
 */
export function useFocusBack(open: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && document.activeElement === document.body)
      focusOn(place.current?.querySelector('button'));
    wasOpen.current = open;
  }, [open]);
  return place;
}

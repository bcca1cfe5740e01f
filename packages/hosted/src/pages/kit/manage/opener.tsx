import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../design/focus-on.js';

interface OpenerProps {
  open: boolean;
  button: ComponentChildren;
  /** Rendered instead of the button while it is open. */
  children: ComponentChildren;
}

/** A button replaced by what it opens. Gets the focus back when that closes, unless something else took it. */
export function Opener({ open, button, children }: OpenerProps) {
  const place = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && document.activeElement === document.body) {
      focusOn(place.current?.querySelector('button'));
    }
    wasOpen.current = open;
  }, [open]);
  return (
    <div ref={place} class="opener">
      {open ? children : button}
    </div>
  );
}

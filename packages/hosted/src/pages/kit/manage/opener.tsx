import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../design/focus-on.js';

interface OpenerProps {
  open: boolean;
  button: ComponentChildren;
  /** What stands in the button's place while it is open. */
  children: ComponentChildren;
}

/** A button that gives way to what it opens, and has the focus again when that is left and nothing else took it. */
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

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../design/focus-on.js';

interface OpenerProps {
  open: boolean;
  button: ComponentChildren;
  /** Rendered instead of the button while it is open. */
  children: ComponentChildren;
}

/**
 * A button that is replaced by the content it opens. When the content closes, the button gets the focus back, unless
 * something else has it.
 */
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

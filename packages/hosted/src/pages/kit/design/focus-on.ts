/**
 * Focuses new content unless the payer's focus is elsewhere in the page around the frame, where typing must not be interrupted
 * or the page scrolled.
 */
export function focusOn(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (window.parent === window || document.hasFocus()) element?.focus(options);
}

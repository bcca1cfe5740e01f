/**
 * Puts the focus on what has just come, unless the payer is elsewhere in the page around this one: what they type there stays
 * theirs, and their page does not scroll away.
 */
export function focusOn(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (window.parent === window || document.hasFocus()) element?.focus(options);
}

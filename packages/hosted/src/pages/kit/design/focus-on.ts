/**
 * Focuses new content, unless the focus is outside the frame: the payer may be typing in the merchant's page, which must
 * not scroll either.
 */
export function focusOn(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (window.parent === window || document.hasFocus()) element?.focus(options);
}

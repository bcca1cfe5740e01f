/** Focuses the heading of the current view, where the payer starts reading. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#page h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

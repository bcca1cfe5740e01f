/** Focuses the page's heading, so that screen readers start there. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#page h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

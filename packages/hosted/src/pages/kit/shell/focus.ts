/** Puts the focus where the payer begins: at the heading of what is shown. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#page h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

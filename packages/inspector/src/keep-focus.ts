/** Moves focus to the screen's heading when the focused element is removed, such as a pressed button. */
export function keepFocus(heading: () => HTMLElement | null): () => void {
  let last: Element | null = null;
  const follow = (event: FocusEvent): void => {
    last = event.target instanceof Element ? event.target : null;
  };
  const gone = new MutationObserver(() => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    last = null;
    heading()?.focus();
  });
  addEventListener('focusin', follow);
  gone.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener('focusin', follow);
    gone.disconnect();
  };
}

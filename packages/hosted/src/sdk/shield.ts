/** Events that dialog libraries listen to on the document. */
const EVENTS =
  'pointerdown pointerup mousedown mouseup touchstart touchmove touchend click keydown keyup focus focusin focusout blur wheel'.split(
    ' ',
  );

/**
 * Hides the events of `dialog` from the page. Otherwise a click in our dialog could close the merchant's own dialog,
 * which could also pull back the focus or handle Tab and Escape. Dialog libraries listen on the document in the capture
 * phase; only a listener on the window runs earlier. Returns a function that undoes this.
 */
export function shieldEvents(dialog: HTMLElement): () => void {
  const onEvent = (event: Event): void => {
    const path = event.composedPath();
    const { relatedTarget } = event as Partial<FocusEvent>;
    const isInside = path.includes(dialog);
    // Unless the focus moves from the page into our dialog.
    if (!isInside && !dialog.contains(relatedTarget as Node | null)) return;

    event.stopImmediatePropagation();
    if (event.type !== 'click' || !isInside) return;
    // The page's listeners don't get the event, and neither do ours: call the handler of our element or dialog.
    const handling = path.find((each) => (each as Partial<HTMLElement>).onclick) as HTMLElement;
    handling.onclick?.(event as PointerEvent);
  };

  for (const type of EVENTS) addEventListener(type, onEvent, { capture: true, passive: true });
  return () => {
    for (const type of EVENTS) removeEventListener(type, onEvent, { capture: true });
  };
}

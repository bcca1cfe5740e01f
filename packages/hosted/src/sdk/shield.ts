/** Events that dialog libraries listen to on the document. */
const EVENTS =
  'pointerdown pointerup mousedown mouseup touchstart touchmove touchend click keydown keyup focusin focusout focus blur wheel'.split(
    ' ',
  );

/**
 * Hides the events of `dialog` from the page. The merchant's own dialog would otherwise close with a click in ours, pull the
 * focus back, or handle Tab and Escape: such libraries listen on the document in the capture phase, where only a listener
 * on the window comes first. Returns a function that undoes this.
 */
export function shieldEvents(dialog: HTMLElement): () => void {
  const onEvent = (event: Event): void => {
    const path = event.composedPath();
    const { relatedTarget } = event as Partial<FocusEvent>;
    const isInside = path.includes(dialog);
    // The focus leaves the page for our dialog.
    if (!isInside && !dialog.contains(relatedTarget as Node | null)) return;

    event.stopImmediatePropagation();
    if (event.type !== 'click' || !isInside) return;
    // One of our elements, or the dialog itself.
    const handling = path.find((each) => (each as Partial<HTMLElement>).onclick) as HTMLElement;
    handling.onclick?.(event as PointerEvent);
  };

  for (const type of EVENTS) addEventListener(type, onEvent, { capture: true, passive: true });
  return () => {
    for (const type of EVENTS) removeEventListener(type, onEvent, { capture: true });
  };
}

/**
 * When a field loses focus, it may show a problem, which shifts the content below. If the payer is pressing something
 * there, the click would miss it. So layout changes wait until the pointer is released.
 */
let isPressed = false;

/** Starts tracking the pointer. */
export function followPointer(): void {
  addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => (isPressed = false), true);
}

/**
 * Calls `run` when the focus has moved from a field to another part of the page. Doesn't if it has left the page or moved to
 * the dialog that asks whether to leave, because the payer may come back to the field.
 */
export function onLeaving({ relatedTarget }: FocusEvent, run: () => void): void {
  if (!isPressed) {
    if ((relatedTarget as Element | null)?.closest('dialog') === null) run();
    return;
  }
  // `click` fires after `pointerup`.
  const later = (): void => void setTimeout(run);
  addEventListener('pointerup', later, { once: true });
}

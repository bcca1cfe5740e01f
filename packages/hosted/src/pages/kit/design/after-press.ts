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

export function afterPress(run: () => void): void {
  if (!isPressed) return run();
  // `click` fires after `pointerup`.
  const later = (): void => void setTimeout(run);
  addEventListener('pointerup', later, { once: true });
}

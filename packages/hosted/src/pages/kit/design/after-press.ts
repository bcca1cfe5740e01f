/**
 * Leaving a field may show its problem and move what is below it. When it is left by pressing something there, the
 * press would miss: what moves the page waits until the pointer is up again.
 */
let isPressed = false;

/** Follows the pointer from now on. */
export function followPointer(): void {
  addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => (isPressed = false), true);
}

export function afterPress(run: () => void): void {
  if (!isPressed) return run();
  // Behind the click, which comes after the pointer is up.
  const later = (): void => void setTimeout(run);
  addEventListener('pointerup', later, { once: true });
}

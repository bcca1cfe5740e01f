/**
 * Leaving a field may show a problem and shift the page. If the payer leaves it by pressing something below, the press would
 * miss. Layout changes therefore wait until the pointer is released.
 */
let isPressed = false;

/** Tracks the pointer from now on. */
export function followPointer(): void {
  addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => (isPressed = false), true);
}

export function afterPress(run: () => void): void {
  if (!isPressed) return run();
  // After the click, which follows the release of the pointer.
  const later = (): void => void setTimeout(run);
  addEventListener('pointerup', later, { once: true });
}

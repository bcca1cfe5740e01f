// Returns the focus after a modal. A button that is disabled while its page prepares the session loses the focus before
// the modal opens, and Safari does not focus a clicked button, so the element is remembered when it is pressed.
import { attempt } from './attempt.js';
import { pause, POLL_MS } from './timing.js';

/** Timeout for the page to enable its button again after the flow. */
const ENABLE_MS = 1_000;

let pressed: Element | null | undefined;
let isListening = false;

const activeElement = (): Element | null | undefined =>
  document.activeElement === document.body ? null : document.activeElement;

/** Remembers the focused element now and at each later press. */
export function rememberFocus(): void {
  pressed = activeElement() ?? pressed;
  if (!isListening)
    addEventListener('click', ({ target }) => (pressed = (target as Element).closest?.('a,button')), true);
  isListening = true;
}

/** The element that gets the focus when a flow that opens now has closed. */
export const focusedElement = (): HTMLElement | undefined =>
  attempt(() => (activeElement() ?? pressed) as HTMLElement);

/** Focuses `element` unless the page has moved the focus elsewhere. Waits for a disabled button to be enabled. */
export async function restoreFocus(element: HTMLElement | undefined): Promise<void> {
  for (let waited = 0; waited < ENABLE_MS; waited += POLL_MS) {
    if (!element?.isConnected) return;
    if (!activeElement()) attempt(() => element.focus());
    if (activeElement()) return;
    await pause(POLL_MS);
  }
}

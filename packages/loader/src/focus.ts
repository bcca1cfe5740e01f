// Returns the focus after a modal. A button that is disabled while its page prepares the session loses the focus before
// the modal opens, and Safari does not focus a clicked button, so the element is remembered when it is pressed.
import { attempt } from './attempt.js';
import { until } from './timing.js';

/** Timeout for the page to enable its button again after the flow. */
const ENABLE_MS = 1_000;

let pressed: Element | null | undefined;

const activeElement = (): Element | null | undefined =>
  document.activeElement === document.body ? null : document.activeElement;

/** Remembers the focused element now and at each later press. */
export function rememberFocus(): void {
  pressed = activeElement() ?? pressed;
  // The same listener is added only once.
  addEventListener('click', onClick, true);
}

function onClick({ target }: MouseEvent): void {
  pressed = (target as Element).closest?.('a,button');
}

/** The element to focus once a flow that opens now has closed. */
export const focusedElement = (): HTMLElement | undefined =>
  attempt(() => (activeElement() ?? pressed) as HTMLElement);

/** Focuses `element` unless the page has moved the focus elsewhere. Waits for a disabled button to be enabled. */
export const restoreFocus = (element: HTMLElement | undefined): Promise<void> =>
  until(() => {
    if (!element?.isConnected) return true;
    if (!activeElement()) attempt(() => element.focus());
    return activeElement();
  }, ENABLE_MS);

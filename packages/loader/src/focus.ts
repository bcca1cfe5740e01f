// Restores the focus after a modal. Remembers the pressed element, because a button loses the focus if its page disables
// it while preparing the session, and because Safari doesn't focus clicked buttons.
import { attempt } from './attempt.js';
import { until } from './timing.js';

/** How long to wait for the page to enable its button again. */
const ENABLE_MS = 1_000;

let pressed: Element | null | undefined;

const activeElement = (): Element | null | undefined =>
  document.activeElement === document.body ? null : document.activeElement;

/** Remembers the focused element now and at each later press. */
export function rememberFocus(): void {
  pressed = activeElement() ?? pressed;
  // Adding the same listener again has no effect.
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

import { focusOn } from '../design/focus-on.js';

/** Scrolls to the top and focuses the heading, after it replaced other content. */
export function showFromTop(heading: HTMLElement | null): void {
  scrollTo(0, 0);
  focusOn(heading, { preventScroll: true });
}

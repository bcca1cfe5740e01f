import { focusOn } from '../design/focus-on.js';

/** Focuses a heading that replaced other content, and scrolls to its top. */
export function beginAt(heading: HTMLElement | null): void {
  scrollTo(0, 0);
  focusOn(heading, { preventScroll: true });
}

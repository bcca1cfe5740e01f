import { focusOn } from '../design/focus-on.js';

/** Focuses a heading that takes the place of what was there: it is seen from its top. */
export function beginAt(heading: HTMLElement | null): void {
  scrollTo(0, 0);
  focusOn(heading, { preventScroll: true });
}

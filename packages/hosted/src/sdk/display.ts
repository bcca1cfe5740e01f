import type { Appearance, OpenOptions } from '@embedded-sessions/loader';
import { detach, element, pageBody } from './dom.js';
import type { ColorScheme } from '@shared/appearance.js';

/** How a flow is displayed, set by the merchant's page. */
export type DisplayOptions = Omit<OpenOptions, 'container'>;

/** The color scheme of a flow in `place`: the requested one, otherwise the one used around it. */
export function schemeOf({ colorScheme }: Appearance = {}, place: Element = pageBody()): ColorScheme {
  return colorScheme === 'light' || colorScheme === 'dark' ? colorScheme : usedScheme(place);
}

/** Adds to the frame's address what its page needs for the first paint. The service ignores invalid values. */
export function addressWith(
  url: string,
  { locale, appearance }: DisplayOptions,
  scheme: ColorScheme,
  isInline?: boolean,
): URL {
  const address = new URL(url);
  const { colorScheme: _, brand: __, ...looks } = appearance ?? {};
  for (const [name, value] of Object.entries({ lang: locale, scheme, ...looks })) {
    // A dialog must have a header that names the payee, and must not be transparent.
    const isApplied = isInline || (name !== 'showHeader' && value !== 'transparent');
    if (value !== undefined && isApplied) address.searchParams.set(name, value as string);
  }
  return address;
}

/** Measures the text color, because a dark page may not declare a `color-scheme`. */
function usedScheme(place: Element): ColorScheme {
  const probe = element('i');
  probe.style.setProperty('color', 'color-mix(in lab,currentcolor,currentcolor)', 'important');
  place.append(probe);
  // `lab(L a b)`
  const lightness = Number.parseInt(getComputedStyle(probe).color.slice(4));
  detach(probe);
  return lightness > 60 ? 'dark' : 'light';
}

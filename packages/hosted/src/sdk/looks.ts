import type { Brand, NextFlow } from '@embedded-sessions/loader';
import { detach, element, pageBody } from './dom.js';
import type { Appearance, ColorScheme } from '@shared/appearance.js';

/** Appearance that the merchant's page sets, for a flow's frame and the dialog around it. */
export type PageAppearance = Appearance & { brand?: Brand | undefined };

/** Language and appearance of a flow, chosen by the merchant's page. */
export interface Appearances {
  /** A BCP 47 tag. Default: the session's page decides. */
  locale?: string | undefined;
  appearance?: PageAppearance | undefined;
  /** The merchant's page can get a new session when this one has expired. */
  canRenew?: boolean | undefined;
  /** What the merchant's page can open after a payment. */
  canOpen?: readonly NextFlow[] | undefined;
}

/** The color scheme of a flow in `place`: the requested one, or else that of its surroundings. */
export function schemeOf({ colorScheme }: Appearance = {}, place: Element = pageBody()): ColorScheme {
  return colorScheme === 'light' || colorScheme === 'dark' ? colorScheme : usedScheme(place);
}

/** The frame's address with what its page needs for its first paint. The service ignores invalid values. */
export function addressWith(
  url: string,
  { locale, appearance }: Appearances,
  scheme: ColorScheme,
  isInline?: boolean,
): URL {
  const address = new URL(url);
  const { colorScheme: _, brand: __, ...looks } = appearance ?? {};
  for (const [name, value] of Object.entries({ lang: locale, scheme, ...looks })) {
    // A dialog must name the payee, and must not be transparent over the page.
    const isApplied = isInline || (name !== 'showHeader' && value !== 'transparent');
    if (value !== undefined && isApplied) address.searchParams.set(name, String(value));
  }
  return address;
}

/** Reads the color of text, because a `<meta>` of the page can set a scheme that `color-scheme` does not show. */
function usedScheme(place: Element): ColorScheme {
  const probe = element('i');
  probe.style.setProperty('color', 'CanvasText', 'important');
  place.append(probe);
  // `rgb(…, …, …)`
  const red = Number.parseInt(getComputedStyle(probe).color.slice(4));
  detach(probe);
  return red > 127 ? 'dark' : 'light';
}

import { element } from './dom.js';
import type { Appearance, ColorScheme } from '../../../service/src/shared/appearance.js';

/** What a merchant's page may say of a flow. */
export interface Dress {
  /** A tag of BCP 47; without one the page chooses. */
  locale?: string | undefined;
  appearance?: Appearance | undefined;
  /** The merchant's page can get a new session for this flow when it has expired. */
  canRenew?: boolean | undefined;
}

/** The scheme that a flow in `place` is drawn in: as asked, else as what is around it. */
export function schemeOf({ colorScheme }: Appearance = {}, place: Element): ColorScheme {
  return colorScheme === 'light' || colorScheme === 'dark' ? colorScheme : usedScheme(place);
}

/** The frame's address with what its page must know before its first byte; the service ignores what is no such value. */
export function dressed(url: string, { locale, appearance }: Dress, scheme: ColorScheme): URL {
  const address = new URL(url);
  const { accent, radius, font } = appearance ?? {};
  for (const [name, value] of Object.entries({ lang: locale, scheme, accent, radius, font })) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address;
}

/** By what colour text has there: `color-scheme` alone does not tell, which a `<meta>` of the page may have set. */
function usedScheme(place: Element): ColorScheme {
  const probe = element('i');
  probe.style.setProperty('color', 'CanvasText', 'important');
  place.append(probe);
  const [red] = /\d+/.exec(getComputedStyle(probe).color) ?? [];
  probe.remove();
  return Number(red) > 127 ? 'dark' : 'light';
}

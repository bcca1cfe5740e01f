/** A page's appearance: from its address, else its business unit, else the payer's system. */
import { COLOR_SCHEMES, type Appearance, type Font, type Looks } from '../shared/appearance.js';
import { accentProperties } from './accent.js';

const FAMILIES: Record<Font, string> = {
  system: '',
  serif: 'ui-serif,Georgia,Cambria,"Times New Roman","Noto Serif",serif',
  rounded: 'ui-rounded,"SF Pro Rounded","Arial Rounded MT Bold",Nunito,system-ui,sans-serif',
};

export function looksOf({ colorScheme, ...looks }: Appearance = {}): Looks {
  const scheme = COLOR_SCHEMES.find((known) => known === colorScheme);
  return { ...looks, ...(scheme && { scheme }) };
}

/** CSS custom properties. Only values that this service wrote reach them. */
export function looksProperties({ accent, radius, font = 'system' }: Looks): string {
  return [
    accentProperties(accent),
    ...(radius === undefined ? [] : [`--radius:${radius}px`, `--radius-small:${Math.round(radius * 0.6)}px`]),
    ...(font === 'system' ? [] : [`--font:${FAMILIES[font]}`]),
  ].join(';');
}

/** The same as a rule, more specific than the design system's own. */
export function looksRule(looks: Looks): string {
  return `html:root{${looksProperties(looks)}}`;
}

/** The looks that a page is served with: of its address, else of its business unit, else the payer's own. */
import { COLOR_SCHEMES, type Appearance, type Font, type Looks } from '../shared/appearance.js';
import { accentRule } from './accent.js';

const FAMILIES: Record<Font, string> = {
  system: '',
  serif: 'ui-serif,Georgia,Cambria,"Times New Roman","Noto Serif",serif',
  rounded: 'ui-rounded,"SF Pro Rounded","Arial Rounded MT Bold",Nunito,system-ui,sans-serif',
};

export function looksOf({ colorScheme, ...looks }: Appearance = {}): Looks {
  const scheme = COLOR_SCHEMES.find((known) => known === colorScheme);
  return { ...looks, ...(scheme && { scheme }) };
}

/** As rules of CSS; only what this service wrote reaches them. */
export function looksRule({ accent, radius, font = 'system' }: Looks): string {
  const own = [
    ...(radius === undefined ? [] : [`--radius:${radius}px`, `--radius-small:${Math.round(radius * 0.6)}px`]),
    ...(font === 'system' ? [] : [`--font:${FAMILIES[font]}`]),
  ];
  return accentRule(accent) + (own.length === 0 ? '' : `html:root{${own.join(';')}}`);
}

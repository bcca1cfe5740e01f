/** A page's appearance (R-70): from its URL, else its business unit, else the payer's system. */
import {
  COLOR_SCHEMES,
  type Appearance,
  type ColorScheme,
  type Font,
  type ResolvedAppearance,
} from '../shared/appearance.js';
import { accentProperties, legibleText } from '../shared/accent.js';

const FAMILIES: Record<Font, string> = {
  system: '',
  serif: 'ui-serif,Georgia,Cambria,"Times New Roman","Noto Serif",serif',
  rounded: 'ui-rounded,"SF Pro Rounded","Arial Rounded MT Bold",Nunito,system-ui,sans-serif',
};

export function appearanceOf({ colorScheme, ...looks }: Appearance = {}): ResolvedAppearance {
  const scheme = COLOR_SCHEMES.find((known) => known === colorScheme);
  return { ...looks, ...(scheme && { scheme }) };
}

/** Keywords, which must not be quoted. */
const GENERIC = /^(?:(?:sans-|ui-(?:sans-)?)?serif|monospace|cursive|system-ui|ui-(?:rounded|monospace))$/;

function families({ font = 'system', fontFamily = '' }: ResolvedAppearance): string {
  const names = fontFamily.split(',').map((name) => name.trim());
  return fontFamily === ''
    ? FAMILIES[font]
    : `${names.map((name) => (GENERIC.test(name) ? name : `"${name}"`)).join(',')},system-ui,sans-serif`;
}

/** CSS custom properties, with values written only by this service. */
export function appearanceProperties(looks: ResolvedAppearance): string {
  const { scheme, accent, accentDark = accent, radius, background, border } = looks;
  const family = families(looks);
  return [
    accentProperties(scheme === 'dark' ? accentDark : accent),
    ...(radius === undefined ? [] : [`--radius:${radius}px`, `--radius-small:${Math.round(radius * 0.6)}px`]),
    ...(family === '' ? [] : [`--font:${family}`]),
    ...(background === undefined ? [] : [`--background:${background}`]),
    // A colored background needs padding. Menus and dialogs over it have the same color.
    ...(background === undefined || background === 'transparent'
      ? []
      : ['--inset:20px', `--opaque:${background}`]),
    ...inkProperties(looks, scheme ?? 'light'),
    ...(border === undefined ? [] : [`--line:${border}`, `--edge:${border}`]),
  ].join(';');
}

/** Adjusted, so that the payer can read whom they pay and how much. The color behind a transparent frame is unknown. */
function inkProperties({ text, background }: ResolvedAppearance, scheme: ColorScheme): string[] {
  if (text === undefined) return [];
  const ink = background === 'transparent' ? text : legibleText(text, scheme, background);
  return [`--ink:${ink}`, `--ink-soft:${ink}`];
}

/** The same as a CSS rule that is more specific than the design system's, in each scheme. */
export function appearanceRule(looks: ResolvedAppearance): string {
  const { scheme, accentDark } = looks;
  const rule = `html:root:root:root{${appearanceProperties(looks)}}`;
  if (scheme !== undefined) return rule;

  const dark = [
    ...(accentDark === undefined ? [] : [accentProperties(accentDark)]),
    ...inkProperties(looks, 'dark'),
  ].join(';');
  return dark === '' ? rule : `${rule}@media(prefers-color-scheme:dark){html:root:root:root{${dark}}}`;
}

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

/** CSS custom properties of a frame, with values written only by this service. */
export function appearanceProperties(looks: ResolvedAppearance): string {
  return [...propertiesOf(looks), ...inkProperties(looks, looks.scheme ?? 'light')].join(';');
}

/** All but those of the text. */
function propertiesOf(looks: ResolvedAppearance): string[] {
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
    ...(border === undefined ? [] : [`--line:${border}`, `--edge:${border}`]),
  ];
}

/** The least legible color of the design system's texts, `--ink-soft`. */
const SOFT_INK: Readonly<Record<ColorScheme, string>> = { light: '#55616f', dark: '#abb6c4' };

/** Adjusted, so that the payer can read whom they pay and how much. The color behind a transparent frame is unknown. */
function inkProperties(looks: ResolvedAppearance, scheme: ColorScheme): string[] {
  const own = SOFT_INK[scheme];
  const { text = own, background } = looks;
  const ink = background === 'transparent' ? text : legibleText(text, scheme, background);
  return looks.text === undefined && ink === own ? [] : [`--ink:${ink}`, `--ink-soft:${ink}`];
}

/** Whether the payer's system decides the color of texts. */
export function dependsOnSystem(looks: ResolvedAppearance): boolean {
  const [light, dark] = COLOR_SCHEMES.map((scheme) => inkProperties(looks, scheme).join());
  return looks.scheme === undefined && light !== dark;
}

/**
 * The same as CSS rules that are more specific than the design system's. Only frames have the background, and only inline ones
 * a transparent one, so elsewhere the text color is adjusted to the scheme's own.
 */
export function appearanceRules({ background, ...looks }: ResolvedAppearance): string {
  const selector = 'html:root:root:root';
  const own = rulesIn(selector, looks);
  if (background === undefined) return own;

  const frames = background === 'transparent' ? '[data-framed][data-inline]' : '[data-framed]';
  return own + rulesIn(selector + frames, { ...looks, background });
}

/** In each scheme, if the payer's system chooses it. */
function rulesIn(selector: string, looks: ResolvedAppearance): string {
  const { scheme, accentDark } = looks;
  if (scheme !== undefined) return `${selector}{${appearanceProperties(looks)}}`;

  const inScheme = (each: ColorScheme, properties: readonly string[]): string =>
    properties.length === 0
      ? ''
      : `@media(prefers-color-scheme:${each}){${selector}{${properties.join(';')}}}`;
  const accents = accentDark === undefined ? [] : [accentProperties(accentDark)];
  return [
    `${selector}{${propertiesOf(looks).join(';')}}`,
    inScheme('light', inkProperties(looks, 'light')),
    inScheme('dark', [...accents, ...inkProperties(looks, 'dark')]),
  ].join('');
}

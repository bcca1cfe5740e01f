/**
 * Turns a business unit's accent color into custom properties of the hosted pages. Text on any color, and text in it, stays
 * legible (WCAG 2.2 contrast of at least 4.5).
 */
import { isAccent, type ColorScheme } from './appearance.js';

type Rgb = readonly [number, number, number];

const DEFAULT: Rgb = [0x1d, 0x5f, 0xd0];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The worst backgrounds in each scheme on which the design system puts accent text. */
const LIGHT_BACKGROUND: Rgb = [0xee, 0xf1, 0xf5];
const DARK_BACKGROUND: Rgb = [0x26, 0x2d, 0x38];
const LEGIBLE = 4.6;

export interface Accent {
  /** The color itself, behind buttons. */
  fill: string;
  /** Text on `fill`. */
  onFill: string;
  /** Links, icons and marks of selected options, in the light and dark scheme. */
  inkLight: string;
  inkDark: string;
}

/** Accepts `#rrggbb`. Anything else returns the design system's accent. */
export function accent(color: string | undefined): Accent {
  const fill = (color === undefined ? undefined : parse(color)) ?? DEFAULT;
  return {
    fill: hex(fill),
    onFill: contrast(fill, WHITE) >= 4.5 ? '#ffffff' : '#000000',
    inkLight: hex(towards(fill, BLACK, LIGHT_BACKGROUND)),
    inkDark: hex(towards(fill, WHITE, DARK_BACKGROUND)),
  };
}

/** The nearest color to `text` that is legible on a background: `#rrggbb`, or absent for a scheme's own. */
export function legibleText(text: string, scheme: ColorScheme, background?: string): string {
  const own = scheme === 'dark' ? DARK_BACKGROUND : LIGHT_BACKGROUND;
  const on = (background === undefined ? undefined : parse(background)) ?? own;
  const end = contrast(on, WHITE) > contrast(on, BLACK) ? WHITE : BLACK;
  return hex(towards(parse(text) ?? end, end, on));
}

/** CSS custom properties, with colors written only by this file. */
export function accentProperties(color: string | undefined): string {
  const { fill, onFill, inkLight, inkDark } = accent(color);
  return `--accent:${fill};--on-accent:${onFill};--accent-ink-light:${inkLight};--accent-ink-dark:${inkDark}`;
}

function parse(color: string): Rgb | undefined {
  if (!isAccent(color)) return undefined;
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function hex(color: Rgb): string {
  return `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

function towards(color: Rgb, end: Rgb, background: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mix(color, end, share);
    if (contrast(mixed, background) >= LEGIBLE) return mixed;
  }
  return end;
}

function mix([r, g, b]: Rgb, [toR, toG, toB]: Rgb, share: number): Rgb {
  return [r + (toR - r) * share, g + (toG - g) * share, b + (toB - b) * share];
}

/** Contrast ratio as WCAG 2.2 defines it, 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)] as const;
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

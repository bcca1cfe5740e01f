/** A page's appearance as set by the merchant, and how a frame's URL encodes it. */
export const COLOR_SCHEMES = ['light', 'dark'] as const;
export type ColorScheme = (typeof COLOR_SCHEMES)[number];

export const FONTS = ['system', 'serif', 'rounded'] as const;
export type Font = (typeof FONTS)[number];

/** `wordmark`: the logo contains the name. */
export const LOGO_SHAPES = ['square', 'wordmark'] as const;
export type LogoShape = (typeof LOGO_SHAPES)[number];

export const MAX_RADIUS = 24;

/** Settings of a flow's options and of a business unit's config. */
export interface Appearance {
  /** `auto` follows the surrounding page; a top-level page follows the payer's system. */
  colorScheme?: ColorScheme | 'auto' | undefined;
  /** `#rrggbb`, adjusted until it is readable. */
  accent?: string | undefined;
  accentDark?: string | undefined;
  /** Corner radius, px, 0 to {@link MAX_RADIUS}. */
  radius?: number | undefined;
  font?: Font | undefined;
  /** Background of the frame: `#rrggbb`, or `transparent` in a container, which is the default there. */
  background?: string | undefined;
  /** `#rrggbb`, adjusted until it is readable on the background, unless that is `transparent`. */
  text?: string | undefined;
  /** Color of borders and lines: `#rrggbb`. */
  border?: string | undefined;
  /** Names of fonts that payers have installed, such as `Inter, sans-serif`. Replaces `font`. */
  fontFamily?: string | undefined;
  /** `false` omits logo and name in a container, if the surrounding page names the payee. */
  showHeader?: boolean | undefined;
}

/** A page's resolved appearance. If `scheme` is missing, the payer's system decides. */
export interface ResolvedAppearance extends Omit<Appearance, 'colorScheme'> {
  scheme?: ColorScheme | undefined;
}

export function isAccent(value: unknown): value is string {
  return typeof value === 'string' && /^#[\da-f]{6}$/i.test(value);
}

export function isBackground(value: unknown): value is string {
  return value === 'transparent' || isAccent(value);
}

/** Names of fonts without quotes. */
export function isFontFamily(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 200 && /^[\w-][\w -]*(?:,[\w -]*[\w-] *)*$/.test(value);
}

/** Reads the appearance from a URL's query and ignores invalid values. */
export function readAppearance(query: (name: string) => string | undefined): ResolvedAppearance {
  const scheme = COLOR_SCHEMES.find((known) => known === query('scheme'));
  const color = (name: string): string | undefined => {
    const value = query(name)?.replace(/^(?=[\da-f]{6}$)/i, '#');
    return isAccent(value) ? value : undefined;
  };
  const accent = color('accent');
  const accentDark = color('accentDark');
  const background = query('background') === 'transparent' ? 'transparent' : color('background');
  const text = color('text');
  const border = color('border');
  const fontFamily = query('fontFamily')?.replaceAll(/["']/g, '');
  const radius = query('radius') ?? '';
  const font = FONTS.find((known) => known === query('font'));
  return {
    ...(scheme && { scheme }),
    // A frame's accent applies to both schemes unless the embedding page sets two.
    ...(accent && { accent, accentDark }),
    ...(accentDark && { accentDark }),
    ...(/^\d{1,2}$/.test(radius) && Number(radius) <= MAX_RADIUS && { radius: Number(radius) }),
    ...(font && { font }),
    ...(background && { background }),
    ...(text && { text }),
    ...(border && { border }),
    ...(isFontFamily(fontFamily) && { fontFamily }),
    ...(query('showHeader') === 'false' && { showHeader: false }),
  };
}

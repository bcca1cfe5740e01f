/** How a merchant wants a page to look, and how a frame's URL carries that. */
export const COLOR_SCHEMES = ['light', 'dark'] as const;
export type ColorScheme = (typeof COLOR_SCHEMES)[number];

export const FONTS = ['system', 'serif', 'rounded'] as const;
export type Font = (typeof FONTS)[number];

export const MAX_RADIUS = 24;

/** Settings of a flow's options and of a business unit's config. */
export interface Appearance {
  /** `auto` follows the surrounding page; a top-level page follows the payer's system. */
  colorScheme?: ColorScheme | 'auto' | undefined;
  /** `#rrggbb`, adjusted until it is readable. */
  accent?: string | undefined;
  /** Corner radius, px, 0 to {@link MAX_RADIUS}. */
  radius?: number | undefined;
  font?: Font | undefined;
}

/** The resolved looks of a page. Without `scheme`, the payer's system decides. */
export interface Looks {
  scheme?: ColorScheme | undefined;
  /** `#rrggbb` */
  accent?: string | undefined;
  /** px, 0 to {@link MAX_RADIUS}. */
  radius?: number | undefined;
  font?: Font | undefined;
}

export function isAccent(value: unknown): value is string {
  return typeof value === 'string' && /^#[\da-f]{6}$/i.test(value);
}

/** Reads looks from a URL's query and ignores invalid values. */
export function readLooks(query: (name: string) => string | undefined): Looks {
  const scheme = COLOR_SCHEMES.find((known) => known === query('scheme'));
  const accent = query('accent')?.replace(/^(?!#)/, '#');
  const radius = query('radius') ?? '';
  const font = FONTS.find((known) => known === query('font'));
  return {
    ...(scheme && { scheme }),
    ...(isAccent(accent) && { accent }),
    ...(/^\d{1,2}$/.test(radius) && Number(radius) <= MAX_RADIUS && { radius: Number(radius) }),
    ...(font && { font }),
  };
}

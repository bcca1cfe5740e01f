/** How a merchant has a page look, and how that stands in the address of a frame. */
export const COLOR_SCHEMES = ['light', 'dark'] as const;
export type ColorScheme = (typeof COLOR_SCHEMES)[number];

export const FONTS = ['system', 'serif', 'rounded'] as const;
export type Font = (typeof FONTS)[number];

export const MAX_RADIUS = 24;

/** What a merchant may say, in the options of a flow and in the config of a business unit. */
export interface Appearance {
  /** `auto`: what is around the page; of a page of its own, what the payer's system is set to. */
  colorScheme?: ColorScheme | 'auto' | undefined;
  /** `#rrggbb`; moved until it can be read. */
  accent?: string | undefined;
  /** Of corners, px, 0 to {@link MAX_RADIUS}. */
  radius?: number | undefined;
  font?: Font | undefined;
}

/** What a page is told. No `scheme`: the payer's own. */
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

/** The looks that an address's query asks for; what is not one of the values is as if it were not there. */
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

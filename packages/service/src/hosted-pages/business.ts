import type { Appearance } from '../shared/appearance.js';
import type { Language } from '../shared/languages.js';

/** What hosted pages show of a business unit. */
export interface HostedBusiness {
  name: string;
  /** `https:`, `http:` on loopback, or a `data:image/…` URL. */
  logoUrl?: string | undefined;
  /** BCP 47 language tag, used if the page's address names no language. */
  locale?: string | undefined;
  /** Languages that its pages offer; all if missing. */
  languages?: readonly Language[] | undefined;
  appearance?: Appearance | undefined;
  /** Origins whose pages may frame the session; empty: top-level only. */
  allowedOrigins: readonly string[];
}

import type { Appearance, LogoShape } from '../shared/appearance.js';
import type { Language } from '../shared/languages.js';
import type { Overrides } from '../texts/texts.js';
import type { PageSession } from '../shared/page.js';

export type HostedFlow = PageSession['flow'];

/** What hosted pages show of a business unit. */
export interface HostedBusiness {
  name: string;
  /** `https:`, `http:` on loopback, or a `data:image/…` URL. */
  logoUrl?: string | undefined;
  /** Shown on dark pages instead. */
  logoUrlDark?: string | undefined;
  /** A `wordmark` says the name, which the header then leaves out. Default `square`. */
  logoShape?: LogoShape | undefined;
  /** BCP 47 language tag, used if the page's address names no language. */
  locale?: string | undefined;
  /** Languages that its pages offer; all if missing. */
  languages?: readonly Language[] | undefined;
  /** Texts that it replaces. */
  messages?: Overrides | undefined;
  appearance?: Appearance | undefined;
  /** Origins whose pages may frame the session; empty: top-level only. */
  allowedOrigins: readonly string[];
}

import type { BusinessUnit } from '../platform/config/config.js';
import type { PageSession } from '../shared/page.js';

export type HostedFlow = PageSession['flow'];

/** What hosted pages show of a business unit. */
export type HostedBusiness = Pick<
  BusinessUnit,
  | 'name'
  | 'logoUrl'
  | 'logoUrlDark'
  | 'logoShape'
  | 'locale'
  | 'languages'
  | 'messages'
  | 'appearance'
  | 'allowedOrigins'
>;

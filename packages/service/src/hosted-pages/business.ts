import type { BusinessUnit } from '../platform/config/config.js';
import type { PageSession } from '../shared/page.js';

export type HostedFlow = PageSession['flow'];

/** The parts of a business unit that the hosted pages use. */
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
  | 'links'
> &
  Partial<Pick<BusinessUnit, 'paymentFields'>>;

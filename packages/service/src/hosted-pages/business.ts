import type { BusinessUnit } from '../platform/config/config.js';
import type { PageSession } from '../shared/page.js';

export type HostedFlow = PageSession['flow'];

/** A business unit, as far as the hosted pages need one. */
export type HostedBusiness = Pick<BusinessUnit, 'name' | 'allowedOrigins'> & Partial<BusinessUnit>;

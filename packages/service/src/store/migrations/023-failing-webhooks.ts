import type { Index } from './migration.js';

/**
 * Since when webhook messages have failed, for metrics. A message that is delivered at the first attempt is never in it, so
 * it costs nothing while receivers work.
 */
export const failingWebhooksIndex: Index = {
  name: 'outbox_failing',
  table: 'outbox',
  of: "(business_unit, created_at) where status = 'pending' and attempts > 0",
};

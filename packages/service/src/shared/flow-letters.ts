import type { PageSession } from './page.js';

export type FlowLetter = 'p' | 'a' | 'w' | 'l' | 's' | 'm' | 'n';

/**
 * What a session's id ends with: its flow. Whoever opens the session knows by it, before the first byte of its page,
 * about how high that will be.
 */
export const FLOW_LETTERS: Readonly<Record<PageSession['flow'], FlowLetter>> = {
  payment: 'p',
  autopay: 'a',
  wallet: 'w',
  paperless: 'l',
  'schedule-payment': 's',
  'scheduled-payments': 'm',
  notifications: 'n',
};

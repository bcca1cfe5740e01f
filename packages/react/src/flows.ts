// What this package knows of each flow. Kept equal to the contract's own list by a test.

/** The seven flows of the service, spelt as on every wire. */
export type Flow =
  | 'payment'
  | 'autopay'
  | 'wallet'
  | 'paperless'
  | 'schedule-payment'
  | 'scheduled-payments'
  | 'notifications';

/** Minutes that a session lives whose receipt does not say; `other` is any of the six, where it is not told which. */
export const LIFETIMES_MIN: Readonly<Record<Flow | 'other', number>> = {
  payment: 30,
  autopay: 60,
  wallet: 60,
  paperless: 60,
  'schedule-payment': 60,
  'scheduled-payments': 60,
  notifications: 60,
  other: 60,
};

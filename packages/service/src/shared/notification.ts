/** Kinds of notifications, in display order. */
export const NOTIFICATION_KINDS = [
  'payment-confirmation',
  'payment-reminder',
  'bill-ready',
  'autopay',
  'autopay-reminder',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** What a customer can be told of, in the order to ask. */
export const NOTIFICATION_KINDS = [
  'payment-confirmation',
  'payment-reminder',
  'bill-ready',
  'autopay',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

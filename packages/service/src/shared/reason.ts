/** Why a page does not get what it asked, where a payer can meet it: the page says it in the payer's language. */
export type Reason = FieldReason | FlowReason | 'source_refused'; // by the processor, in whose words the message is

/** Said beside the field that it is about. */
export type FieldReason =
  | 'card_expired' // or will have on the day of the payment
  | 'method_removed'
  | 'method_blocked' // by its bank
  | 'method_not_offered';

/** Said by the page of the flow. */
export type FlowReason =
  | 'used_by_autopay'
  | 'used_by_scheduled'
  | 'enrolled_by_another'
  | 'not_enrolled'
  | 'payment_started'
  | 'wallet_full';

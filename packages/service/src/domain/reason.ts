/** Why a page does not get what it asked, where a payer can meet it: the page says it in the payer's language. */
export type Reason =
  | 'card_expired'
  | 'method_removed'
  | 'method_not_offered'
  | 'source_refused'
  | 'used_by_autopay'
  | 'used_by_scheduled'
  | 'enrolled_by_another'
  | 'not_enrolled'
  | 'payment_started'
  | 'wallet_full';

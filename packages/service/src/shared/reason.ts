/** Reasons for a refusal that payers can run into. The page explains each in the payer's language. */
export type Reason = FieldReason | FlowReason | 'source_refused'; // by the processor, whose message is shown

/** Shown next to the field. */
export type FieldReason =
  | 'card_expired' // or will have expired on the day of the payment
  | 'method_removed'
  | 'method_blocked' // by its bank
  | 'method_not_offered'
  | 'terms_changed' // the authorization's, since the page was opened
  | 'page_outdated'; // a newer release words the authorization differently

/** Shown by the flow's page. */
export type FlowReason =
  | 'used_by_autopay'
  | 'used_by_scheduled'
  | 'enrolled_by_another'
  | 'not_enrolled'
  | 'payment_started'
  | 'already_scheduled' // a payment that the page doesn't list
  | 'wallet_full';

/** What page and service hold values to: lengths in UTF-16 code units, amounts in cents. */

/** Name on a card, holder of a bank account. */
export const MAX_NAME = 100;
/** The payer's own name for a saved method. */
export const MAX_METHOD_NAME = 40;
/** A field of the business unit's own. */
export const MAX_FIELD_VALUE = 500;
/** What came with the session and is shown: longer is cut. */
export const MAX_SHOWN = 300;
/** A business unit's name in a heading or title. */
export const MAX_BUSINESS_NAME = 120;
/** One scheduled payment: more is a slip of who types it. */
export const MAX_SCHEDULED = 99_999_999;

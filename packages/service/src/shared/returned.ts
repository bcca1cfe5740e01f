/** The type of the message with which a finished challenge tells the payer's page. */
export const RETURNED = 'embedded-sessions:returned';

/** The type of the message that a finished challenge posts to the payer's page. */
export const CHALLENGE_RETURNED = 'embedded-sessions:returned';

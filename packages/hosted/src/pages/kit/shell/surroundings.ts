// Query parameters of the frame that describe the merchant's page.

/** The merchant's page can get a new session. */
export const mayRenew = (): boolean => /[?&]renew=/.test(location.search);

/** The frame is shown inline instead of in a dialog. */
export const isInline = ({ location }: Window): boolean => /[?&]inline=/.test(location.search);

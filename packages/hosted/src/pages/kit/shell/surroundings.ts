// What the frame's address says about the page around the frame.

/** The page around the frame can get a new session. */
export const mayRenew = (): boolean => /[?&]renew=/.test(location.search);

/** The frame is shown inline instead of in a dialog. */
export const isInline = ({ location }: Window): boolean => /[?&]inline=/.test(location.search);

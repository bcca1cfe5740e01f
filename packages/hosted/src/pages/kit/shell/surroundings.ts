// What the SDK says in the frame's address about the page around it.

/** It can get a new session. */
export const mayRenew = (): boolean => /[?&]renew=/.test(location.search);

/** It shows the frame in its own content instead of in a dialog. */
export const isInline = ({ location }: Window): boolean => /[?&]inline=/.test(location.search);

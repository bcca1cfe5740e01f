// The height of an inline flow until its form reports one, px.

/** About that of a plain form. */
export const PAYMENT_HEIGHT = 650;
/** That of the skeleton. */
export const OTHER_HEIGHT = 570;

export const inlineHeightOf = (flow: string): number => (flow === 'payment' ? PAYMENT_HEIGHT : OTHER_HEIGHT);

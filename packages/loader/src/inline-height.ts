/** The height of a flow until its form reports one, px: that of a bill's payment. The SDK's frame has the same. */
export const INLINE_HEIGHT = 757;

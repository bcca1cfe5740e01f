/**
 * A form's skeleton, in CSS. The SDK draws it until the frame has its HTML, then the page until it has its session. Both
 * use these declarations, which match the size of a plain payment form, so nothing moves.
 */

/** The amount: a pseudo-element at the top of the content, below the header. */
export const SKELETON_AMOUNT =
  'content:"";position:absolute;inset:8px 0 auto;max-width:40%;height:28px;border-radius:10px;background:#8887;opacity:.3';

/** The choice of a method, and shadows of it as three lines of fields and the button. */
export const SKELETON_FIELDS =
  'inset:93px 0 auto;max-width:none;height:48px;color:#8887;box-shadow:0 93px,0 184px,0 275px,0 352px var(--embedded-session-accent,#8887)';

/**
 * The skeleton of a form, in CSS. The SDK draws it until the frame has its HTML, and the page until its session has arrived.
 * Both use these declarations, and the measures are those of a bare payment form, so nothing moves.
 */

/** The amount: a pseudo-element at the top of the content, below the header. */
export const SKELETON_AMOUNT =
  'content:"";position:absolute;inset:8px 0 auto;max-width:40%;height:28px;border-radius:10px;background:#8887;opacity:.3';

/** The choice of a method, three lines of fields and the button, by shadows of the first. */
export const SKELETON_FIELDS =
  'inset:93px 0 auto;max-width:none;height:48px;color:#8887;box-shadow:0 93px,0 184px,0 275px,0 352px var(--embedded-session-accent,#8887)';

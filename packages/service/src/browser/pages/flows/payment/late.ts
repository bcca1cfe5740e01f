/** What the payment page shows once something was sent: read when the payer begins, not before the form is there. */
import css from './receipt.css?inline';

export { FormNoticeView } from './form-notice.js';
export { NoMethod, Outcome } from './outcome.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets.push(sheet);

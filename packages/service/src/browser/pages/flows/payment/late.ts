/** What the payment page shows once something was sent: read when the payer begins, not before the form is there. */
import css from './receipt.css?inline';

export { Checking } from './checking.js';
export { ReceiptView } from './receipt-view.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets.push(sheet);

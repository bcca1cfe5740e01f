/** What the payment page shows once something was sent: read when the payer begins, not before the form is there. */
import notice from '../../kit/design/notice.css?inline';
import receipt from './receipt.css?inline';

export { CountryField } from '../../kit/source/country-field.js';
export { ErrorSummary } from '../../kit/design/error-summary.js';
export { FormNoticeView } from './form-notice.js';
export { NoMethod, Outcome } from './outcome.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(notice + receipt);
document.adoptedStyleSheets.push(sheet);

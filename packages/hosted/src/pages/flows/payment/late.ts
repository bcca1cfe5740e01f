/** The part of the payment page that loads after the form is shown: validation, sending and results. */
import rest from '../../kit/design/rest.css?inline';
import challenge from './challenge.css?inline';
import { AccountRows } from '../../kit/design/account-rows.js';
import { ErrorSummary } from '../../kit/design/error-summary.js';
import { shellRest } from '../../kit/shell/rest.js';
import { FormNotices } from './form-notice.js';
import { PaymentMachine } from './machine.js';
import { checkOrder, orderOf } from './order.js';
import { NoMethod, Outcome } from './outcome.js';
import receipt from './receipt.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(rest + receipt + challenge);
document.adoptedStyleSheets.push(sheet);

export default {
  ...shellRest,
  AccountRows,
  ErrorSummary,
  FormNotices,
  NoMethod,
  Outcome,
  checkOrder,
  PaymentMachine,
  orderOf,
};

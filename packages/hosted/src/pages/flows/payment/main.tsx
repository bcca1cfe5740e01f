import { start } from '../../kit/shell/start.js';
import { lazy } from '../../kit/shell/late.js';
import { loadPaymentTexts } from '../../kit/text/index.js';
import { PaymentPage } from './payment-page.js';

void start(
  PaymentPage,
  loadPaymentTexts,
  lazy(() => import('./late.js')),
);

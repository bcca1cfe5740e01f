import { start } from '../../kit/shell/start.js';
import { behind } from '../../kit/shell/late.js';
import { speakPayment } from '../../kit/text/index.js';
import { PaymentPage } from './payment-page.js';

void start(
  PaymentPage,
  speakPayment,
  behind(() => import('./late.js')),
);

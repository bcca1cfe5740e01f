import { start } from '../../kit/shell/start.js';
import { speakPayment } from '../../kit/text/index.js';
import { PaymentPage } from './payment-page.js';

void start(PaymentPage, speakPayment);

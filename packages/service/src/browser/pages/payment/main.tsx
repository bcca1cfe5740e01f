import { start } from '../shell/start.js';
import { speakPayment } from '../text/index.js';
import { PaymentPage } from './payment-page.js';

void start(PaymentPage, speakPayment);

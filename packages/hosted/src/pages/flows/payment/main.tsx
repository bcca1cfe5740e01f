import { behind } from '../../kit/shell/late.js';
import { start } from '../../kit/shell/start.js';
import { speakPayment } from '../../kit/text/index.js';
import type { Late } from './late.js';
import { PaymentPage } from './payment-page.js';

void start(PaymentPage, speakPayment, behind<Late>());

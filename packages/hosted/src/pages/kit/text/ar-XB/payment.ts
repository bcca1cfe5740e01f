import english from '../en/payment.js';
import { mirrored, said } from '../pseudo.js';

export default said(english, mirrored);

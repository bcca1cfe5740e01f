import english from '../en/payment.js';
import { accented, said } from '../pseudo.js';

export default said(english, accented);

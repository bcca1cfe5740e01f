import english from '../en/after.js';
import { accented, said } from '../pseudo.js';

export default said(english, accented);

import english from '../en/problem.js';
import { accented, said } from '../pseudo.js';

export default said(english, accented);

import english from '../en/problem.js';
import { mirrored, said } from '../pseudo.js';

export default said(english, mirrored);

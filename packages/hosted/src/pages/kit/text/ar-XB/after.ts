import english from '../en/after.js';
import { mirrored, said } from '../pseudo.js';

export default said(english, mirrored);

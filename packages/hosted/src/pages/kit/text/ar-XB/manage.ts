import english from '../en/manage.js';
import { mirrored, said } from '../pseudo.js';

export default said(english, mirrored);

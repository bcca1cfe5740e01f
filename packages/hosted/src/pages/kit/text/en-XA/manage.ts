import english from '../en/manage.js';
import { accented, said } from '../pseudo.js';

export default said(english, accented);

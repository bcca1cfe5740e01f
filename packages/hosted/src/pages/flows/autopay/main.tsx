import { startManage } from '../../kit/manage/start.js';
import { AutopayPage } from './autopay-page.js';

startManage(AutopayPage);

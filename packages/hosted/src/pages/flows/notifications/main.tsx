import { startManage } from '../../kit/manage/start.js';
import { NotificationsPage } from './notifications-page.js';

startManage(NotificationsPage);

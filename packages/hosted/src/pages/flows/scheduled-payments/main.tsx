import { startManage } from '../../kit/manage/start.js';
import { ScheduledPage } from './scheduled-page.js';

startManage(ScheduledPage);

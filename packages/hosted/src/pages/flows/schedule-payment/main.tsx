import { startManage } from '../../kit/manage/start.js';
import { SchedulePage } from './schedule-page.js';

startManage(SchedulePage);

import { startManage } from '../../kit/manage/start.js';
import { PaperlessPage } from './paperless-page.js';

startManage(PaperlessPage);

import { start } from '../shell/start.js';
import { speakManage } from '../text/index.js';
import { NotificationsPage } from './notifications-page.js';

void start(NotificationsPage, speakManage);

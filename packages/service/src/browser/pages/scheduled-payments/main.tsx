import { start } from '../shell/start.js';
import { speakManage } from '../text/index.js';
import { ScheduledPage } from './scheduled-page.js';

void start(ScheduledPage, speakManage);

import { start } from '../shell/start.js';
import { speakManage } from '../text/index.js';
import { SchedulePage } from './schedule-page.js';

void start(SchedulePage, speakManage);

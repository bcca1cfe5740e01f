import { start } from '../shell/start.js';
import { speakManage } from '../text/index.js';
import { AutopayPage } from './autopay-page.js';

void start(AutopayPage, speakManage);

import { start } from '../shell/start.js';
import { speakManage } from '../text/index.js';
import { PaperlessPage } from './paperless-page.js';

void start(PaperlessPage, speakManage);

import { eager } from '../../kit/shell/late.js';
import { shellRest } from '../../kit/shell/rest.js';
import { start } from '../../kit/shell/start.js';
import { loadManageTexts } from '../../kit/text/index.js';
import { ScheduledPage } from './scheduled-page.js';

void start(ScheduledPage, loadManageTexts, eager(shellRest));

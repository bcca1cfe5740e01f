import { eager } from '../../kit/shell/late.js';
import { shellRest } from '../../kit/shell/rest.js';
import { start } from '../../kit/shell/start.js';
import { loadManageTexts } from '../../kit/text/index.js';
import { NotificationsPage } from './notifications-page.js';

void start(NotificationsPage, loadManageTexts, eager(shellRest));

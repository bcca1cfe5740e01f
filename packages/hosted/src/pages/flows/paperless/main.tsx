import { eager } from '../../kit/shell/late.js';
import { shellRest } from '../../kit/shell/rest.js';
import { start } from '../../kit/shell/start.js';
import { loadManageTexts } from '../../kit/text/index.js';
import { PaperlessPage } from './paperless-page.js';

void start(PaperlessPage, loadManageTexts, eager(shellRest));

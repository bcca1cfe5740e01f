import { eager } from '../../kit/shell/late.js';
import { shellRest } from '../../kit/shell/rest.js';
import { start } from '../../kit/shell/start.js';
import { loadManageTexts } from '../../kit/text/index.js';
import { WalletPage } from './wallet-page.js';

void start(WalletPage, loadManageTexts, eager(shellRest));

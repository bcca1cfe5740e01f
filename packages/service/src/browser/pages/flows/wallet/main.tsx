import { start } from '../../kit/shell/start.js';
import { speakManage } from '../../kit/text/index.js';
import { WalletPage } from './wallet-page.js';

void start(WalletPage, speakManage);

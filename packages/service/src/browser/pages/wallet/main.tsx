import { start } from '../shell/start.js';
import { speakManage } from '../text/index.js';
import { WalletPage } from './wallet-page.js';

void start(WalletPage, speakManage);

import { startManage } from '../../kit/manage/start.js';
import { WalletPage } from './wallet-page.js';

startManage(WalletPage);

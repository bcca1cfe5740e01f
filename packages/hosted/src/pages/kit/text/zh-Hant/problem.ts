import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Chinese, traditional. */
export const problem: ProblemText = {
  unknown: {
    title: '無法開啟此連結',
    body: '此連結無效或早已過期。請返回原本的網站重新開始。',
  },
  environment: {
    title: '此連結屬於另一個環境',
    body: (here, there) => `該工作階段在 ${there} 中建立，而這裡是 ${here}。請使用服務的 ${there} 網址開啟。`,
  },
};

export default { shared, rest, part: problem };

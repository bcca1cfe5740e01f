import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Chinese, simplified. */
export const problem: ProblemText = {
  unknown: {
    title: '无法打开此链接',
    body: '该链接无效或早已过期。请返回原来的网站重新开始。',
  },
  environment: {
    title: '此链接属于另一个环境',
    body: (here, there) => `该会话在 ${there} 中创建，而这里是 ${here}。请使用服务的 ${there} 地址打开。`,
  },
};

export default { shared, rest, part: problem };

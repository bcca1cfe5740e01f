import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Korean. */
export const problem: ProblemText = {
  unknown: {
    title: '이 링크를 열 수 없습니다',
    body: '링크에 해당하는 세션이 없거나 오래전에 종료되었습니다. 원래 있던 곳으로 돌아가 다시 시작하세요.',
  },
  environment: {
    title: '다른 환경의 링크입니다',
    body: (here, there) =>
      `이 세션은 ${there}에서 만들어졌고 여기는 ${here}입니다. 서비스의 ${there} 주소로 여세요.`,
  },
};

export default { shared, rest, part: problem };

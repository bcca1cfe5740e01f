import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Vietnamese. */
export const problem: ProblemText = {
  unknown: {
    title: 'Không thể mở liên kết này',
    body: 'Liên kết không ứng với phiên nào, hoặc phiên đã kết thúc từ lâu. Hãy quay lại trang web trước đó và bắt đầu lại.',
  },
  environment: {
    title: 'Liên kết này thuộc môi trường khác',
    body: (here, there) =>
      `Phiên được tạo trong ${there}, còn đây là ${here}. Hãy mở bằng địa chỉ ${there} của dịch vụ.`,
  },
};

export default { shared, rest, part: problem };

import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Arabic. */
export const problem: ProblemText = {
  unknown: {
    title: 'لا يمكن فتح هذا الرابط',
    body: 'هذا الرابط لا يخص أي جلسة، أو أن الجلسة انتهت منذ وقت طويل. عُد إلى الموقع الذي جئت منه وابدأ من جديد.',
  },
  environment: {
    title: 'هذا الرابط تابع لبيئة أخرى',
    body: (here, there) => `أُنشئت الجلسة في ${there}، وهذه ${here}. افتحها بعنوان الخدمة الخاص بـ ${there}.`,
  },
};

export default { shared, rest, part: problem };

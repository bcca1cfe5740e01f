import { bankDebit } from '../../../../../../service/src/shared/authorization/ko.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Korean. */
export const payment: PaymentText = {
  ...bankDebit,
  title: (business) => `${business} 결제`,
  summary: '요약',
  total: '합계',
  charge: '결제',
  chooseAccounts: '결제할 항목 선택',
  selectAll: '모두 선택',
  selectNone: '모두 선택 해제',
  chosen: (count, of) => `${of}개 중 ${count}개 선택됨`,
  amountFor: (account) => `${account} 금액`,
  upTo: (max) => `최대 ${max}`,
  reference: '참조 번호',
  paymentDetails: '결제 정보',
  pay: (amount) => `${amount} 결제`,
  payPlain: '결제',
  notCharged: '결제된 금액은 없습니다.',
  save: '이 결제 수단 저장',
  saveHint: (email) => `${email}의 다음 결제에 사용`,
  pos: (agent) => `담당자: ${agent}`,
  posHint: '결제자의 정보는 담당자가 입력하며 저장할 수 없습니다.',
};

export default { shared, part: payment };

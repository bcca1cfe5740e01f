import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Korean. */
export const payment: PaymentText = {
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
  bankAccount: '내 은행 계좌',
  bankEnding: (last4) => `끝자리 ${last4}인 내 은행 계좌`,
  achTerms: (business, amount, account, date) =>
    `‘결제’를 누르면 ${business}이(가) ${date} 또는 그 이후에 ${account}에서 ${amount}을(를) 전자 방식으로 1회 출금하고, 잘못된 출금을 정정하는 것을 승인하게 됩니다. 결제가 은행으로 전송되기 전까지 ${business}에 연락하여 이 승인을 철회할 수 있습니다.`,
  pos: (agent) => `담당자: ${agent}`,
  posHint: '결제자의 정보는 담당자가 입력하며 저장할 수 없습니다.',
};

export default { shared, part: payment };

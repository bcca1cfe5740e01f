import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Korean once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: '처리 중…',
  payingStatus: '결제를 처리하고 있습니다. 이 페이지를 닫지 마세요.',
  declined: '결제가 거절되었습니다. 결제된 금액은 없습니다.',
  declinedHint: '입력한 정보를 확인하거나 다른 결제 수단을 사용하세요.',
  declineAdvice: {
    insufficient_funds: '잔액이 부족합니다. 다른 결제 수단을 사용하세요.',
    card_expired: '만료된 카드입니다. 날짜를 확인하거나 다른 카드를 사용하세요.',
    wrong_code: '보안 코드가 올바르지 않습니다. 확인한 후 다시 시도하세요.',
    wrong_zip: '우편번호가 이 카드와 일치하지 않습니다. 확인한 후 다시 시도하세요.',
  },
  attemptsLeft: (count) => `${count}번 더 시도할 수 있습니다.`,
  neverArrived: '결제 요청이 전달되지 않았으며 결제된 금액은 없습니다.',
  neverArrivedHint: '‘결제’를 눌러 다시 보내세요. 두 번 결제되지 않습니다.',
  tooMany: {
    title: '더 이상 시도할 수 없습니다',
    body: (business) =>
      `결제 시도 횟수를 초과했으며 결제된 금액은 없습니다. ${business}(으)로 돌아가 다른 결제 수단으로 다시 시작하세요.`,
  },
  unavailable: {
    title: '지금은 여기에서 결제할 수 없습니다',
    body: (business) => `결제된 금액은 없습니다. 다른 방법으로 결제하려면 ${business}에 문의하세요.`,
  },
  checking: {
    title: '결제를 확인하고 있습니다',
    titleProcessing: '결제를 처리하고 있습니다',
    dropped: (amount) => `${amount} 결제를 보내는 중에 연결이 끊겼습니다. 서비스에 결과를 확인하고 있습니다.`,
    processing: (amount) => `${amount} 결제가 접수되어 처리되고 있습니다. 잠시 걸릴 수 있습니다.`,
    offline: '아직 서비스에 연결할 수 없습니다. 계속 확인하고 있습니다.',
    noRepeat: '다시 결제하지 마세요. 이 페이지에 결과가 표시됩니다.',
    now: '지금 확인',
  },
  challenge: {
    title: '본인 확인',
    body: (amount) => `은행에서 ${amount} 결제의 본인 확인을 요청합니다.`,
    frame: '은행의 본인 확인',
    cancel: '결제 그만두기',
  },
  complete: '결제 완료',
  submitted: '결제 접수됨',
  completeBody: (business) => `감사합니다. ${business}에서 결제를 받았습니다.`,
  submittedBody: (business) =>
    `감사합니다. ${business}에 대한 은행 결제가 진행 중이며 보통 영업일 기준 2일 안에 처리됩니다.`,
  failed: {
    title: '은행에서 결제를 반려했습니다',
    body: (business) =>
      `은행에서 이 결제를 반려하여 결제가 완료되지 않았습니다. ${business}(으)로 돌아가 다시 결제하세요.`,
  },
  over: {
    title: '영수증은 더 이상 여기에 표시되지 않습니다',
    body: (business) =>
      `결제가 완료되었으며 영수증은 하루 동안만 표시됩니다. ${business}(으)로 돌아가 결제 내역을 확인하세요.`,
  },
  receipt: '영수증',
  receiptNumber: '영수증 번호',
  account: '고객 번호',
  paidBy: '결제자',
  takenBy: '담당자',
  paidOn: '결제일',
  submittedOn: '접수일',
  paidWith: '결제 수단',
  amountPaid: '결제 금액',
  amountSubmitted: '접수 금액',
  methodSaved: '이 결제 수단은 다음에 사용할 수 있도록 저장되었습니다.',
  continueTo: (business) => `${business}(으)로 계속`,
  next: {
    autopay: '자동 결제 켜기',
    paperless: '전자 청구서로 전환',
  },
  returnToStart: '시작한 곳으로 돌아가기',
  emailReceipt: {
    label: '이메일 주소',
    send: '영수증을 이메일로 받기',
    sent: (address) => `${address}(으)로 보냈습니다.`,
    invalid: 'ada@example.com과 같은 이메일 주소를 입력하세요.',
    failed: '보내지 못했습니다. 나중에 다시 시도하거나 영수증을 인쇄하세요.',
  },
  print: '인쇄',
};

export default { rest, part: after };

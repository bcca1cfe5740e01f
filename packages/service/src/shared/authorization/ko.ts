import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Korean. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `고객 번호 ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: '내 은행 계좌',
  bankEnding: (last4) => `끝자리 ${last4}인 내 은행 계좌`,
  achTerms: (business, amount, account, date) =>
    `‘결제’를 누르면 ${business}이(가) ${date} 또는 그 이후에 ${account}에서 ${amount}을(를) 전자 방식으로 1회 출금하고, 잘못된 출금을 정정하는 것을 승인하게 됩니다. 결제가 은행으로 전송되기 전까지 ${business}에 연락하여 이 승인을 철회할 수 있습니다.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `자동 결제를 끌 때까지 ${business}이(가) ${account}의 각 청구서를 납부 기한에 이 결제 수단으로 결제하는 것을 승인합니다. ${business}의 자동 결제 페이지에서 또는 ${business}에 연락하여 언제든지 끌 수 있으며, 이미 전송된 결제에는 영향이 없습니다.`,
  termsBodyMerchant: (business, account) =>
    `자동 결제를 끌 때까지 ${business}이(가) ${account}의 각 청구서를 납부 시기에 이 결제 수단으로 결제하는 것을 승인합니다. ${business}의 자동 결제 페이지에서 또는 ${business}에 연락하여 언제든지 끌 수 있으며, 이미 전송된 결제에는 영향이 없습니다.`,
  limit: '각 청구서는 금액과 관계없이 전액 결제되며, 최대 금액 제한은 없습니다.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `이 결제를 예약하면 ${business}이(가) 이 결제 수단으로${date && ` ${date}에`}${amount && ` ${amount}을(를)`} 한 번 결제하는 것을 승인하게 됩니다. 그 전날까지 ‘예약된 결제’에서 이 결제를 취소하여 승인을 철회할 수 있습니다.`,
};

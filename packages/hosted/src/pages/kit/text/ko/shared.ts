import { accountNumber } from '../../../../../../service/src/shared/authorization/ko.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Korean. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `${operator} 결제 서비스`,
    terms: '약관',
    privacyPolicy: '개인정보 보호',
    help: '도움말',
    accountNumber,
    optional: '선택 사항',
    backTo: (business) => `${business}(으)로 돌아가기`,
    working: '잠시만 기다려 주세요…',
    privacy: (business) =>
      `입력하신 정보는 결제 서비스로 바로 전송됩니다. ${business}에는 카드 번호나 계좌 번호가 보이지 않습니다.`,
  },
  method: {
    legend: '결제 수단',
    card: '카드',
    bank: '은행 계좌',
    newCard: '새 카드',
    newBank: '새 은행 계좌',
    savedCard: (brand, last4) => `${brand} 끝자리 ${last4}`,
    savedBank: (last4) => `은행 계좌 끝자리 ${last4}`,
    unnamedCard: '카드',
    expires: (expiry) => `유효기간 ${expiry}`,
    expiredOn: (expiry) => `${expiry} 만료됨`,
    isDefault: '기본',
    cardNumber: '카드 번호',
    expiry: '유효기간',
    expiryHint: '월 / 년',
    securityCode: '보안 코드',
    securityCodeHint: '카드 뒷면의 3자리 숫자',
    securityCodeHintAmex: '카드 앞면의 4자리 숫자',
    nameOnCard: '카드에 표시된 이름',
    zip: '우편번호 (ZIP)',
    blocked: '은행에서 이 계좌의 출금을 허용하지 않습니다. 다른 계좌를 선택하세요.',
  },
  account: {
    due: '납부 기한',
    note: '메모',
    details: '상세 정보',
  },
};

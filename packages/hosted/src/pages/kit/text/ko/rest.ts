import type { RestText } from '../catalog.js';

/** What hosted pages say besides, and no first form of a payment, in Korean. */
export const rest: RestText = {
  common: {
    held: '결제를 처리하고 있습니다.',
    cancel: '취소',
    close: '닫기',
    done: '완료',
    leavePayment: '이 결제를 그만두시겠습니까?',
    leaveUnsaved: '저장하지 않고 나가시겠습니까?',
    leaveHint: '입력한 내용은 저장되지 않습니다.',
    stay: '계속하기',
    leave: '나가기',
    tryAgain: '다시 시도',
    startAgain: '다시 시작',
    privacyManage: (business) => `${business}의 결제 서비스에서 제공합니다.`,
    endsSoon: (minutes) => `이 세션은 ${minutes}분 이내에 종료됩니다.`,
    youMayClose: '완료되었습니다. 이 페이지를 닫아도 됩니다.',
    errorsTitle: (count) => `확인이 필요한 항목이 ${count}개 있습니다`,
    allSet: '완료되었습니다',
    allSetBody: '변경 사항이 저장되었습니다.',
    backToManage: '다른 변경하기',
  },
  problem: {
    expired: {
      title: '세션이 만료되었습니다',
      body: (business) =>
        `안전을 위해 세션은 제한된 시간 동안만 유효합니다. ${business}(으)로 돌아가 다시 시작하세요.`,
    },
    canceled: {
      title: '세션이 취소되었습니다',
      body: (business) =>
        `${business}에서 세션을 닫았습니다. 결제된 금액은 없습니다. ${business}(으)로 돌아가 남은 일을 확인하세요.`,
    },
    unauthorized: {
      title: '링크가 완전하지 않습니다',
      body: (business) => `링크의 일부가 없거나 변경되었습니다. ${business}(으)로 돌아가 다시 여세요.`,
    },
    unreachable: {
      title: '결제 서비스에 연결할 수 없습니다',
      body: '인터넷 연결을 확인하고 다시 시도하세요.',
    },
    broken: {
      title: '서비스에 문제가 발생했습니다',
      body: '잠시 후 다시 시도하세요.',
    },
    notAllowed: {
      title: '허용되지 않은 사이트에서 이 페이지를 열었습니다',
      body: (origin) =>
        `돌아가서 다시 시작하세요. 본인의 사이트라면 ${origin}을(를) 사업 단위의 허용 출처에 추가하세요.`,
    },
    silentFrame: {
      title: '이 페이지가 올바르게 열리지 않았습니다',
      body: '바깥 페이지가 응답하지 않았습니다. 돌아가서 다시 시작하세요. 본인의 사이트라면 허용된 출처에서 SDK로 세션을 여세요.',
    },
  },
  failure: {
    unreachable: '연결이 끊겼습니다. 연결을 확인하고 다시 시도하세요. 같은 작업이 두 번 처리되지 않습니다.',
    internal: '서비스에 문제가 발생했습니다. 잠시 후 다시 시도하세요. 같은 작업이 두 번 처리되지 않습니다.',
    conflict: '그사이 상태가 바뀌어 처리하지 못했습니다. 페이지를 새로고침하여 현재 상태를 확인하세요.',
    tooMany: '짧은 시간에 너무 많이 변경하셨습니다. 1분 정도 기다린 후 다시 시도하세요.',
    notFound: '더 이상 존재하지 않는 항목입니다. 페이지를 새로고침하여 현재 상태를 확인하세요.',
    invalid: '서비스에서 받아들이지 않았습니다. 입력한 내용을 확인하세요.',
    unavailable: '지금은 여기에서 결제 수단을 추가하거나 사용할 수 없습니다. 결제된 금액은 없습니다.',
    noProcessor: '아직 여기에서 온라인 결제를 이용할 수 없습니다.',
  },
  method: {
    usedByAutopay: '자동 결제에 사용 중',
    usedByScheduled: '예약 결제에 사용 중',
    country: '국가 또는 지역',
    postcode: '우편번호',
    holder: '예금주',
    routing: '라우팅 번호',
    routingHint: '수표 왼쪽 아래의 9자리 숫자',
    accountNumber: '은행 계좌 번호',
    accountBack: (number) => `확인하세요: ${number}`,
    none: '사용할 수 있는 결제 수단이 없습니다',
    noneBody: (business) =>
      `이 세션에서 요청한 결제 수단은 여기에서 제공되지 않습니다. 다른 방법으로 결제하려면 ${business}에 문의하세요.`,
  },
  invalid: {
    required: (label) => `필수 항목입니다: ${label}`,
    cardShort: '카드 번호가 완전하지 않습니다.',
    cardNumber: '올바른 카드 번호가 아닙니다. 숫자를 확인하세요.',
    expiry: '유효기간을 08\u00a0/\u00a030처럼 월과 연도로 입력하세요.',
    expiryPast: '만료된 카드입니다.',
    securityCode: (digits) => `보안 코드 ${digits}자리를 입력하세요.`,
    zip: '5자리 또는 9자리 우편번호를 입력하세요.',
    postcode: '해당 국가의 형식에 맞는 우편번호를 입력하세요.',
    routing: '올바른 라우팅 번호가 아닙니다. 9자리 숫자를 확인하세요.',
    bankAccount: '4~17자리 계좌 번호를 입력하세요.',
    amount: '25.00처럼 금액을 입력하세요.',
    amountRange: (min, max) => `${min}부터 ${max}까지의 금액을 입력하세요.`,
    nothingChosen: '결제할 항목을 하나 이상 선택하세요.',
    noMethod: '결제 수단을 선택하세요.',
    date: '날짜를 선택하세요.',
    dateRange: (from, to) => `${from}부터 ${to}까지의 날짜를 선택하세요.`,
    terms: '계속하려면 약관에 동의하세요.',
    phone: '지역 번호를 포함한 전화번호를 입력하세요.',
    phoneNeeded: '문자 메시지를 받으려면 전화번호가 필요합니다.',
    tooLong: '내용이 너무 깁니다.',
    methodRemoved: '삭제된 결제 수단입니다. 다른 결제 수단을 선택하세요.',
    methodNotOffered: '여기에서 제공되지 않는 결제 수단입니다. 다른 결제 수단을 선택하세요.',
    notAccepted: '처리되지 않았습니다. 확인하거나 다른 결제 수단을 사용하세요.',
  },
  account: {
    balance: '잔액',
    issued: '발행일',
    phone: '전화',
    address: '주소',
  },
};

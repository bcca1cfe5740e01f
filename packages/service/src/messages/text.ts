/** What messages to payers say, in every language. */
import type { Language } from '../shared/languages.js';
import type { MessageKind } from './rules.js';

/** Values for a text, formatted and safe to show. */
export interface Words {
  readonly business: string;
  readonly amount: string;
  readonly date: string;
}

interface KindText {
  readonly subject: (words: Words) => string;
  readonly body: (words: Words) => string;
}

export interface MessageText {
  readonly kinds: Readonly<Record<MessageKind, KindText>>;
  /** The body of a receipt for a bank payment that has not settled. */
  readonly pending: (words: Words) => string;
  readonly labels: {
    readonly amount: string;
    readonly paidWith: string;
    readonly bankAccount: string;
    readonly account: string;
    readonly receiptNumber: string;
  };
  readonly unsubscribe: string;
  readonly unsubscribeTitle: (business: string) => string;
  readonly unsubscribed: string;
}

export const MESSAGE_TEXT: Readonly<Record<Language, MessageText>> = {
  en: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Your payment to ${business}`,
        body: ({ business, amount }) => `Thank you. ${business} has received your payment of ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Your payment to ${business} didn’t go through`,
        body: ({ business, amount }) =>
          `Your payment of ${amount} to ${business} didn’t go through. Pay again with another payment method, or contact ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Your refund from ${business}`,
        body: ({ business, amount }) =>
          `${business} has refunded ${amount}. Your bank may need a few days to show it.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `AutoPay: your payment to ${business}`,
        body: ({ business, amount }) => `AutoPay has charged ${amount} for ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `AutoPay couldn’t pay ${business}`,
        body: ({ business, amount }) =>
          `AutoPay couldn’t charge ${amount} for ${business}. Pay another way, and check the payment method that AutoPay uses.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Tomorrow: your payment to ${business}`,
        body: ({ business, amount, date }) =>
          `Your payment of ${amount} to ${business} is scheduled for ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `AutoPay will pay ${business} soon`,
        body: ({ business, amount, date }) =>
          `AutoPay will charge your balance for ${business}, now ${amount}, on ${date}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Your card for ${business} expires soon`,
        body: ({ business }) =>
          `The card that AutoPay charges for ${business} expires at the end of this month. Choose another one so that your payments go through.`,
      },
    },
    pending: ({ business, amount }) =>
      `Thank you. Your bank payment of ${amount} to ${business} is on its way. It usually clears in two business days.`,
    labels: {
      amount: 'Amount',
      paidWith: 'Payment method',
      bankAccount: 'Bank account',
      account: 'Account',
      receiptNumber: 'Receipt number',
    },
    unsubscribe: 'Stop these reminders',
    unsubscribeTitle: (business) => `Stop reminders from ${business}?`,
    unsubscribed: 'You won’t get these reminders by e-mail anymore.',
  },
  es: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Su pago a ${business}`,
        body: ({ business, amount }) => `Gracias. ${business} recibió su pago de ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Su pago a ${business} no se realizó`,
        body: ({ business, amount }) =>
          `Su pago de ${amount} a ${business} no se realizó. Pague de nuevo con otro método de pago o comuníquese con ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Su reembolso de ${business}`,
        body: ({ business, amount }) =>
          `${business} le reembolsó ${amount}. Su banco puede tardar unos días en mostrarlo.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `Pago automático: su pago a ${business}`,
        body: ({ business, amount }) => `El pago automático cobró ${amount} para ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `El pago automático a ${business} no se realizó`,
        body: ({ business, amount }) =>
          `No se pudo cobrar el pago automático de ${amount} para ${business}. Pague de otra manera y revise el método de pago que usa el pago automático.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Mañana: su pago a ${business}`,
        body: ({ business, amount, date }) =>
          `Su pago de ${amount} a ${business} está programado para el ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `Próximo pago automático a ${business}`,
        body: ({ business, amount, date }) =>
          `El ${date} el pago automático cobrará su saldo para ${business}, que ahora es de ${amount}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Su tarjeta para ${business} vence pronto`,
        body: ({ business }) =>
          `La tarjeta que usa el pago automático para ${business} vence al final de este mes. Elija otra para que sus pagos se realicen.`,
      },
    },
    pending: ({ business, amount }) =>
      `Gracias. Su pago bancario de ${amount} a ${business} está en camino. Normalmente se acredita en dos días hábiles.`,
    labels: {
      amount: 'Monto',
      paidWith: 'Método de pago',
      bankAccount: 'Cuenta bancaria',
      account: 'Cuenta',
      receiptNumber: 'Número de recibo',
    },
    unsubscribe: 'Dejar de recibir estos recordatorios',
    unsubscribeTitle: (business) => `¿Dejar de recibir recordatorios de ${business}?`,
    unsubscribed: 'Ya no recibirá estos recordatorios por correo electrónico.',
  },
  fr: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Votre paiement à ${business}`,
        body: ({ business, amount }) => `Merci. ${business} a reçu votre paiement de ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Votre paiement à ${business} n’a pas abouti`,
        body: ({ business, amount }) =>
          `Votre paiement de ${amount} à ${business} n’a pas abouti. Payez à nouveau avec un autre mode de paiement ou contactez ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Votre remboursement de ${business}`,
        body: ({ business, amount }) =>
          `${business} vous a remboursé ${amount}. Votre banque peut mettre quelques jours à l’afficher.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `Paiement automatique : votre paiement à ${business}`,
        body: ({ business, amount }) => `Le paiement automatique a prélevé ${amount} pour ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `Le paiement automatique à ${business} n’a pas abouti`,
        body: ({ business, amount }) =>
          `Le paiement automatique de ${amount} pour ${business} n’a pas abouti. Payez autrement et vérifiez le mode de paiement utilisé.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Demain : votre paiement à ${business}`,
        body: ({ business, amount, date }) =>
          `Votre paiement de ${amount} à ${business} est programmé pour le ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `Prochain paiement automatique à ${business}`,
        body: ({ business, amount, date }) =>
          `Le ${date}, le paiement automatique prélèvera votre solde pour ${business}, actuellement de ${amount}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Votre carte pour ${business} expire bientôt`,
        body: ({ business }) =>
          `La carte que le paiement automatique utilise pour ${business} expire à la fin de ce mois. Choisissez-en une autre pour que vos paiements aboutissent.`,
      },
    },
    pending: ({ business, amount }) =>
      `Merci. Votre paiement bancaire de ${amount} à ${business} est en cours. Il est généralement traité en deux jours ouvrables.`,
    labels: {
      amount: 'Montant',
      paidWith: 'Mode de paiement',
      bankAccount: 'Compte bancaire',
      account: 'Compte',
      receiptNumber: 'Numéro de reçu',
    },
    unsubscribe: 'Ne plus recevoir ces rappels',
    unsubscribeTitle: (business) => `Ne plus recevoir les rappels de ${business}\u00a0?`,
    unsubscribed: 'Vous ne recevrez plus ces rappels par e-mail.',
  },
  pt: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Seu pagamento para ${business}`,
        body: ({ business, amount }) => `Obrigado. ${business} recebeu seu pagamento de ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Seu pagamento para ${business} não foi concluído`,
        body: ({ business, amount }) =>
          `Seu pagamento de ${amount} para ${business} não foi concluído. Pague novamente com outra forma de pagamento ou fale com ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Seu reembolso de ${business}`,
        body: ({ business, amount }) =>
          `${business} reembolsou ${amount}. Seu banco pode levar alguns dias para mostrar o valor.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `Pagamento automático: seu pagamento para ${business}`,
        body: ({ business, amount }) => `O pagamento automático cobrou ${amount} para ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `O pagamento automático para ${business} não foi concluído`,
        body: ({ business, amount }) =>
          `Não foi possível cobrar o pagamento automático de ${amount} para ${business}. Pague de outra forma e verifique a forma de pagamento usada.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Amanhã: seu pagamento para ${business}`,
        body: ({ business, amount, date }) =>
          `Seu pagamento de ${amount} para ${business} está agendado para ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `Próximo pagamento automático para ${business}`,
        body: ({ business, amount, date }) =>
          `Em ${date}, o pagamento automático cobrará seu saldo para ${business}, que agora é de ${amount}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Seu cartão para ${business} vence em breve`,
        body: ({ business }) =>
          `O cartão que o pagamento automático usa para ${business} vence no fim deste mês. Escolha outro para que seus pagamentos sejam concluídos.`,
      },
    },
    pending: ({ business, amount }) =>
      `Obrigado. Seu pagamento bancário de ${amount} para ${business} está a caminho. Ele costuma ser compensado em dois dias úteis.`,
    labels: {
      amount: 'Valor',
      paidWith: 'Forma de pagamento',
      bankAccount: 'Conta bancária',
      account: 'Conta',
      receiptNumber: 'Número do recibo',
    },
    unsubscribe: 'Parar de receber estes lembretes',
    unsubscribeTitle: (business) => `Parar de receber lembretes de ${business}?`,
    unsubscribed: 'Você não receberá mais estes lembretes por e-mail.',
  },
  'zh-Hans': {
    kinds: {
      receipt: {
        subject: ({ business }) => `您向 ${business} 的付款`,
        body: ({ business, amount }) => `谢谢。${business} 已收到您的 ${amount} 付款。`,
      },
      'payment-failed': {
        subject: ({ business }) => `您向 ${business} 的付款未成功`,
        body: ({ business, amount }) =>
          `您向 ${business} 支付的 ${amount} 未成功。请用其他付款方式再次付款，或联系 ${business}。`,
      },
      refund: {
        subject: ({ business }) => `${business} 的退款`,
        body: ({ business, amount }) => `${business} 已退款 ${amount}。银行可能需要几天才会显示。`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `自动付款：您向 ${business} 的付款`,
        body: ({ business, amount }) => `自动付款已为 ${business} 扣款 ${amount}。`,
      },
      'autopay-failed': {
        subject: ({ business }) => `向 ${business} 的自动付款未成功`,
        body: ({ business, amount }) =>
          `为 ${business} 的 ${amount} 自动付款未成功。请用其他方式付款，并检查自动付款使用的付款方式。`,
      },
      'payment-reminder': {
        subject: ({ business }) => `明天：您向 ${business} 的付款`,
        body: ({ business, amount, date }) => `您向 ${business} 的 ${amount} 付款安排在 ${date}。`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `即将向 ${business} 自动付款`,
        body: ({ business, amount, date }) =>
          `自动付款将于 ${date} 为 ${business} 扣除您的余额，目前为 ${amount}。`,
      },
      'card-expiring': {
        subject: ({ business }) => `您用于 ${business} 的银行卡即将到期`,
        body: ({ business }) =>
          `自动付款为 ${business} 使用的银行卡将于本月底到期。请选择另一张卡，以便付款成功。`,
      },
    },
    pending: ({ business, amount }) =>
      `谢谢。您向 ${business} 的 ${amount} 银行付款正在处理中，通常两个工作日到账。`,
    labels: {
      amount: '金额',
      paidWith: '付款方式',
      bankAccount: '银行账户',
      account: '账号',
      receiptNumber: '收据编号',
    },
    unsubscribe: '不再接收此类提醒',
    unsubscribeTitle: (business) => `不再接收 ${business} 的提醒？`,
    unsubscribed: '您将不再通过电子邮件收到此类提醒。',
  },
  'zh-Hant': {
    kinds: {
      receipt: {
        subject: ({ business }) => `您向 ${business} 的付款`,
        body: ({ business, amount }) => `謝謝。${business} 已收到您的 ${amount} 付款。`,
      },
      'payment-failed': {
        subject: ({ business }) => `您向 ${business} 的付款未成功`,
        body: ({ business, amount }) =>
          `您向 ${business} 支付的 ${amount} 未成功。請用其他付款方式再次付款，或聯絡 ${business}。`,
      },
      refund: {
        subject: ({ business }) => `${business} 的退款`,
        body: ({ business, amount }) => `${business} 已退款 ${amount}。銀行可能需要幾天才會顯示。`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `自動付款：您向 ${business} 的付款`,
        body: ({ business, amount }) => `自動付款已為 ${business} 扣款 ${amount}。`,
      },
      'autopay-failed': {
        subject: ({ business }) => `向 ${business} 的自動付款未成功`,
        body: ({ business, amount }) =>
          `為 ${business} 的 ${amount} 自動付款未成功。請用其他方式付款，並檢查自動付款使用的付款方式。`,
      },
      'payment-reminder': {
        subject: ({ business }) => `明天：您向 ${business} 的付款`,
        body: ({ business, amount, date }) => `您向 ${business} 的 ${amount} 付款排定在 ${date}。`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `即將向 ${business} 自動付款`,
        body: ({ business, amount, date }) =>
          `自動付款將於 ${date} 為 ${business} 扣除您的餘額，目前為 ${amount}。`,
      },
      'card-expiring': {
        subject: ({ business }) => `您用於 ${business} 的卡片即將到期`,
        body: ({ business }) =>
          `自動付款為 ${business} 使用的卡片將於本月底到期。請選擇另一張卡，以便付款成功。`,
      },
    },
    pending: ({ business, amount }) =>
      `謝謝。您向 ${business} 的 ${amount} 銀行付款正在處理中，通常兩個工作天入帳。`,
    labels: {
      amount: '金額',
      paidWith: '付款方式',
      bankAccount: '銀行帳戶',
      account: '帳號',
      receiptNumber: '收據編號',
    },
    unsubscribe: '不再接收此類提醒',
    unsubscribeTitle: (business) => `不再接收 ${business} 的提醒？`,
    unsubscribed: '您將不再透過電子郵件收到此類提醒。',
  },
  vi: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Khoản thanh toán của quý vị cho ${business}`,
        body: ({ business, amount }) => `Cảm ơn quý vị. ${business} đã nhận khoản thanh toán ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Khoản thanh toán cho ${business} không thành công`,
        body: ({ business, amount }) =>
          `Khoản thanh toán ${amount} cho ${business} không thành công. Vui lòng thanh toán lại bằng phương thức khác hoặc liên hệ ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Khoản hoàn tiền từ ${business}`,
        body: ({ business, amount }) =>
          `${business} đã hoàn lại ${amount}. Ngân hàng có thể cần vài ngày để hiển thị khoản này.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `Thanh toán tự động cho ${business}`,
        body: ({ business, amount }) => `Thanh toán tự động đã trừ ${amount} cho ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `Thanh toán tự động cho ${business} không thành công`,
        body: ({ business, amount }) =>
          `Không thể thanh toán tự động ${amount} cho ${business}. Vui lòng thanh toán bằng cách khác và kiểm tra phương thức thanh toán đang dùng.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Ngày mai: khoản thanh toán cho ${business}`,
        body: ({ business, amount, date }) =>
          `Khoản thanh toán ${amount} cho ${business} được lên lịch vào ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `Sắp thanh toán tự động cho ${business}`,
        body: ({ business, amount, date }) =>
          `Vào ${date}, thanh toán tự động sẽ trừ số dư của quý vị cho ${business}, hiện là ${amount}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Thẻ dùng cho ${business} sắp hết hạn`,
        body: ({ business }) =>
          `Thẻ mà thanh toán tự động dùng cho ${business} sẽ hết hạn vào cuối tháng này. Vui lòng chọn thẻ khác để các khoản thanh toán được thực hiện.`,
      },
    },
    pending: ({ business, amount }) =>
      `Cảm ơn quý vị. Khoản thanh toán ngân hàng ${amount} cho ${business} đang được xử lý và thường hoàn tất trong hai ngày làm việc.`,
    labels: {
      amount: 'Số tiền',
      paidWith: 'Phương thức thanh toán',
      bankAccount: 'Tài khoản ngân hàng',
      account: 'Số tài khoản',
      receiptNumber: 'Số biên lai',
    },
    unsubscribe: 'Ngừng nhận các lời nhắc này',
    unsubscribeTitle: (business) => `Ngừng nhận lời nhắc từ ${business}?`,
    unsubscribed: 'Quý vị sẽ không còn nhận các lời nhắc này qua email.',
  },
  ko: {
    kinds: {
      receipt: {
        subject: ({ business }) => `${business} 결제 내역`,
        body: ({ business, amount }) => `감사합니다. ${business}에서 ${amount} 결제를 받았습니다.`,
      },
      'payment-failed': {
        subject: ({ business }) => `${business} 결제가 완료되지 않았습니다`,
        body: ({ business, amount }) =>
          `${business}에 대한 ${amount} 결제가 완료되지 않았습니다. 다른 결제 수단으로 다시 결제하거나 ${business}에 문의하세요.`,
      },
      refund: {
        subject: ({ business }) => `${business} 환불 안내`,
        body: ({ business, amount }) =>
          `${business}에서 ${amount}를 환불했습니다. 은행에 표시되기까지 며칠 걸릴 수 있습니다.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `자동 결제: ${business} 결제 내역`,
        body: ({ business, amount }) => `${business}에 대해 자동 결제로 ${amount}가 결제되었습니다.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `${business} 자동 결제가 완료되지 않았습니다`,
        body: ({ business, amount }) =>
          `${business}에 대한 ${amount} 자동 결제가 완료되지 않았습니다. 다른 방법으로 결제하고 자동 결제에 사용하는 결제 수단을 확인하세요.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `내일 예정: ${business} 결제`,
        body: ({ business, amount, date }) =>
          `${business}에 대한 ${amount} 결제가 ${date}에 예정되어 있습니다.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `${business} 자동 결제 예정`,
        body: ({ business, amount, date }) =>
          `${date}에 ${business}의 잔액이 자동 결제됩니다. 현재 잔액은 ${amount}입니다.`,
      },
      'card-expiring': {
        subject: ({ business }) => `${business}에 사용하는 카드가 곧 만료됩니다`,
        body: ({ business }) =>
          `${business} 자동 결제에 사용하는 카드가 이번 달 말에 만료됩니다. 결제가 계속되도록 다른 카드를 선택하세요.`,
      },
    },
    pending: ({ business, amount }) =>
      `감사합니다. ${business}에 대한 ${amount} 은행 결제가 진행 중이며 보통 영업일 기준 2일 안에 완료됩니다.`,
    labels: {
      amount: '금액',
      paidWith: '결제 수단',
      bankAccount: '은행 계좌',
      account: '고객 번호',
      receiptNumber: '영수증 번호',
    },
    unsubscribe: '이 알림 그만 받기',
    unsubscribeTitle: (business) => `${business}의 알림을 그만 받으시겠습니까?`,
    unsubscribed: '이 알림을 더 이상 이메일로 보내지 않습니다.',
  },
  tl: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Ang bayad mo sa ${business}`,
        body: ({ business, amount }) => `Salamat. Natanggap ng ${business} ang bayad mong ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Hindi natuloy ang bayad mo sa ${business}`,
        body: ({ business, amount }) =>
          `Hindi natuloy ang bayad mong ${amount} sa ${business}. Magbayad muli gamit ang ibang paraan, o makipag-ugnayan sa ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Ang refund mo mula sa ${business}`,
        body: ({ business, amount }) =>
          `Nag-refund ang ${business} ng ${amount}. Maaaring abutin ng ilang araw bago ito lumabas sa bangko mo.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `AutoPay: ang bayad mo sa ${business}`,
        body: ({ business, amount }) => `Nasingil ng AutoPay ang ${amount} para sa ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `Hindi natuloy ang AutoPay para sa ${business}`,
        body: ({ business, amount }) =>
          `Hindi nasingil ng AutoPay ang ${amount} para sa ${business}. Magbayad sa ibang paraan, at suriin ang paraan ng pagbabayad na ginagamit ng AutoPay.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Bukas: ang bayad mo sa ${business}`,
        body: ({ business, amount, date }) =>
          `Nakaiskedyul sa ${date} ang bayad mong ${amount} sa ${business}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `Malapit nang magbayad ang AutoPay sa ${business}`,
        body: ({ business, amount, date }) =>
          `Sa ${date}, sisingilin ng AutoPay ang balanse mo para sa ${business}, na ngayon ay ${amount}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Malapit nang mag-expire ang card mo para sa ${business}`,
        body: ({ business }) =>
          `Mag-e-expire sa katapusan ng buwang ito ang card na ginagamit ng AutoPay para sa ${business}. Pumili ng iba para matuloy ang mga bayad mo.`,
      },
    },
    pending: ({ business, amount }) =>
      `Salamat. Papunta na ang bayad mong ${amount} mula sa bangko sa ${business}. Karaniwang natatapos ito sa loob ng dalawang araw ng negosyo.`,
    labels: {
      amount: 'Halaga',
      paidWith: 'Paraan ng pagbabayad',
      bankAccount: 'Bank account',
      account: 'Account',
      receiptNumber: 'Numero ng resibo',
    },
    unsubscribe: 'Itigil ang mga paalalang ito',
    unsubscribeTitle: (business) => `Itigil ang mga paalala mula sa ${business}?`,
    unsubscribed: 'Hindi ka na makakatanggap ng mga paalalang ito sa email.',
  },
  ru: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Ваш платёж: ${business}`,
        body: ({ business, amount }) => `Спасибо. Получатель ${business} принял ваш платёж на ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Платёж не прошёл: ${business}`,
        body: ({ business, amount }) =>
          `Ваш платёж на ${amount} не прошёл. Получатель: ${business}. Оплатите другим способом или свяжитесь с получателем.`,
      },
      refund: {
        subject: ({ business }) => `Возврат: ${business}`,
        body: ({ business, amount }) =>
          `${business} возвращает вам ${amount}. Банк может показать возврат через несколько дней.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `Автоплатёж: ${business}`,
        body: ({ business, amount }) => `Автоплатёж списал ${amount}. Получатель: ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `Автоплатёж не прошёл: ${business}`,
        body: ({ business, amount }) =>
          `Автоплатёж на ${amount} не прошёл. Получатель: ${business}. Оплатите другим способом и проверьте способ оплаты для автоплатежа.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Платёж завтра: ${business}`,
        body: ({ business, amount, date }) =>
          `Ваш платёж на ${amount} запланирован на ${date}. Получатель: ${business}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `Скоро автоплатёж: ${business}`,
        body: ({ business, amount, date }) =>
          `${date} автоплатёж спишет сумму к оплате, сейчас ${amount}. Получатель: ${business}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Срок действия карты истекает: ${business}`,
        body: ({ business }) =>
          `Срок действия карты для автоплатежа истекает в конце этого месяца. Получатель: ${business}. Выберите другую карту, чтобы платежи проходили.`,
      },
    },
    pending: ({ business, amount }) =>
      `Спасибо. Ваш банковский платёж на ${amount} отправлен. Получатель: ${business}. Обычно он проходит за два рабочих дня.`,
    labels: {
      amount: 'Сумма',
      paidWith: 'Способ оплаты',
      bankAccount: 'Банковский счёт',
      account: 'Лицевой счёт',
      receiptNumber: 'Номер квитанции',
    },
    unsubscribe: 'Больше не присылать эти напоминания',
    unsubscribeTitle: (business) => `Больше не получать напоминания от ${business}?`,
    unsubscribed: 'Вы больше не будете получать эти напоминания по электронной почте.',
  },
  ht: {
    kinds: {
      receipt: {
        subject: ({ business }) => `Peman ou bay ${business}`,
        body: ({ business, amount }) => `Mèsi. ${business} resevwa peman ${amount} ou a.`,
      },
      'payment-failed': {
        subject: ({ business }) => `Peman ou bay ${business} pa pase`,
        body: ({ business, amount }) =>
          `Peman ${amount} ou bay ${business} pa pase. Peye ankò ak yon lòt mwayen peman, oswa kontakte ${business}.`,
      },
      refund: {
        subject: ({ business }) => `Ranbousman ${business} fè ou`,
        body: ({ business, amount }) =>
          `${business} ranbouse ou ${amount}. Bank ou a ka pran kèk jou pou l montre l.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `AutoPay: peman ou bay ${business}`,
        body: ({ business, amount }) => `AutoPay pran ${amount} pou ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `AutoPay pa t ka peye ${business}`,
        body: ({ business, amount }) =>
          `AutoPay pa t ka pran ${amount} pou ${business}. Peye yon lòt jan, epi verifye mwayen peman AutoPay itilize a.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `Demen: peman ou bay ${business}`,
        body: ({ business, amount, date }) => `Peman ${amount} ou bay ${business} pwograme pou ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `AutoPay pral peye ${business} talè`,
        body: ({ business, amount, date }) =>
          `AutoPay pral pran balans ou pou ${business}, ki se ${amount} kounye a, nan dat ${date}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `Kat ou pou ${business} pral ekspire`,
        body: ({ business }) =>
          `Kat AutoPay itilize pou ${business} ap ekspire nan fen mwa sa a. Chwazi yon lòt pou peman ou yo pase.`,
      },
    },
    pending: ({ business, amount }) =>
      `Mèsi. Peman bank ${amount} ou bay ${business} sou wout. Anjeneral li pase nan de jou ouvrab.`,
    labels: {
      amount: 'Montan',
      paidWith: 'Mwayen peman',
      bankAccount: 'Kont labank',
      account: 'Kont',
      receiptNumber: 'Nimewo resi',
    },
    unsubscribe: 'Sispann resevwa rapèl sa yo',
    unsubscribeTitle: (business) => `Sispann resevwa rapèl ${business}?`,
    unsubscribed: 'Ou p ap resevwa rapèl sa yo pa imel ankò.',
  },
  ar: {
    kinds: {
      receipt: {
        subject: ({ business }) => `دفعتك إلى ${business}`,
        body: ({ business, amount }) => `شكرًا لك. استلم ${business} دفعتك بمبلغ ${amount}.`,
      },
      'payment-failed': {
        subject: ({ business }) => `لم تتم دفعتك إلى ${business}`,
        body: ({ business, amount }) =>
          `لم تتم دفعتك بمبلغ ${amount} إلى ${business}. ادفع مرة أخرى بطريقة دفع أخرى، أو تواصل مع ${business}.`,
      },
      refund: {
        subject: ({ business }) => `المبلغ المسترد من ${business}`,
        body: ({ business, amount }) => `ردّ ${business} مبلغ ${amount}. قد يحتاج البنك إلى بضعة أيام لإظهاره.`,
      },
      'autopay-receipt': {
        subject: ({ business }) => `الدفع التلقائي: دفعتك إلى ${business}`,
        body: ({ business, amount }) => `خصم الدفع التلقائي مبلغ ${amount} لصالح ${business}.`,
      },
      'autopay-failed': {
        subject: ({ business }) => `لم يتم الدفع التلقائي إلى ${business}`,
        body: ({ business, amount }) =>
          `تعذّر خصم الدفع التلقائي بمبلغ ${amount} لصالح ${business}. ادفع بطريقة أخرى، وتحقق من طريقة الدفع المستخدمة.`,
      },
      'payment-reminder': {
        subject: ({ business }) => `غدًا: دفعتك إلى ${business}`,
        body: ({ business, amount, date }) => `دفعتك بمبلغ ${amount} إلى ${business} مجدولة في ${date}.`,
      },
      'autopay-reminder': {
        subject: ({ business }) => `دفعة تلقائية قريبة إلى ${business}`,
        body: ({ business, amount, date }) =>
          `في ${date} سيخصم الدفع التلقائي رصيدك المستحق لصالح ${business}، وهو الآن ${amount}.`,
      },
      'card-expiring': {
        subject: ({ business }) => `بطاقتك لدى ${business} ستنتهي صلاحيتها قريبًا`,
        body: ({ business }) =>
          `تنتهي صلاحية البطاقة التي يستخدمها الدفع التلقائي لصالح ${business} في نهاية هذا الشهر. اختر بطاقة أخرى لكي تتم دفعاتك.`,
      },
    },
    pending: ({ business, amount }) =>
      `شكرًا لك. دفعتك البنكية بمبلغ ${amount} إلى ${business} في الطريق، وتُسوّى عادةً خلال يومي عمل.`,
    labels: {
      amount: 'المبلغ',
      paidWith: 'طريقة الدفع',
      bankAccount: 'حساب بنكي',
      account: 'الحساب',
      receiptNumber: 'رقم الإيصال',
    },
    unsubscribe: 'إيقاف هذه التذكيرات',
    unsubscribeTitle: (business) => `إيقاف التذكيرات من ${business}؟`,
    unsubscribed: 'لن تصلك هذه التذكيرات بالبريد الإلكتروني بعد الآن.',
  },
};

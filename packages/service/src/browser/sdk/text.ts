import { LANGUAGES, matchLanguage, type Language } from '../../shared/languages.js';

/** Every merchant's page loads these, of every language: they are few, and short. */
export interface Text {
  /** Titles of the dialog and of the frame. */
  payment: string;
  other: string;
  close: string;
  loading: string;
  unreachable: string;
  retry: string;
  held: string;
}

const TEXTS: Record<Language, Text> = {
  en: {
    payment: 'Secure payment',
    other: 'Your account',
    close: 'Close',
    loading: 'Loading…',
    unreachable: 'This could not be loaded. Opening it charged nothing.',
    retry: 'Try again',
    held: 'Your payment is being processed.',
  },
  es: {
    payment: 'Pago seguro',
    other: 'Su cuenta',
    close: 'Cerrar',
    loading: 'Cargando…',
    unreachable: 'No se pudo cargar. Abrirlo no ha cobrado nada.',
    retry: 'Reintentar',
    held: 'Su pago se está procesando.',
  },
  fr: {
    payment: 'Paiement sécurisé',
    other: 'Votre compte',
    close: 'Fermer',
    loading: 'Chargement…',
    unreachable: 'Le chargement a échoué.',
    retry: 'Réessayer',
    held: 'Votre paiement est en cours de traitement.',
  },
  pt: {
    payment: 'Pagamento seguro',
    other: 'Sua conta',
    close: 'Fechar',
    loading: 'Carregando…',
    unreachable: 'Não foi possível carregar.',
    retry: 'Tentar novamente',
    held: 'Seu pagamento está sendo processado.',
  },
  'zh-Hans': {
    payment: '安全付款',
    other: '您的账户',
    close: '关闭',
    loading: '正在加载…',
    unreachable: '无法加载。',
    retry: '重试',
    held: '正在处理您的付款。',
  },
  'zh-Hant': {
    payment: '安全付款',
    other: '您的帳戶',
    close: '關閉',
    loading: '載入中…',
    unreachable: '無法載入。',
    retry: '重試',
    held: '正在處理您的付款。',
  },
  vi: {
    payment: 'Thanh toán an toàn',
    other: 'Tài khoản của quý vị',
    close: 'Đóng',
    loading: 'Đang tải…',
    unreachable: 'Không tải được.',
    retry: 'Thử lại',
    held: 'Khoản thanh toán đang được xử lý.',
  },
  ko: {
    payment: '안전 결제',
    other: '내 계정',
    close: '닫기',
    loading: '불러오는 중…',
    unreachable: '불러올 수 없습니다.',
    retry: '다시 시도',
    held: '결제를 처리하고 있습니다.',
  },
  tl: {
    payment: 'Ligtas na pagbabayad',
    other: 'Ang iyong account',
    close: 'Isara',
    loading: 'Naglo-load…',
    unreachable: 'Hindi ito ma-load.',
    retry: 'Subukan muli',
    held: 'Pinoproseso ang iyong bayad.',
  },
  ru: {
    payment: 'Безопасная оплата',
    other: 'Ваш счёт',
    close: 'Закрыть',
    loading: 'Загрузка…',
    unreachable: 'Не удалось загрузить.',
    retry: 'Повторить',
    held: 'Ваш платёж обрабатывается.',
  },
  ht: {
    payment: 'Peman an sekirite',
    other: 'Kont ou',
    close: 'Fèmen',
    loading: 'Ap chaje…',
    unreachable: 'Sa pa t ka chaje.',
    retry: 'Eseye ankò',
    held: 'N ap trete peman ou a.',
  },
  ar: {
    payment: 'دفع آمن',
    other: 'حسابك',
    close: 'إغلاق',
    loading: 'جارٍ التحميل…',
    unreachable: 'تعذّر التحميل.',
    retry: 'إعادة المحاولة',
    held: 'جارٍ معالجة دفعتك.',
  },
};

/** The words of the first of these tags that is one of ours, else English. */
export function wordsOf(tags: readonly string[]): { lang: Language; text: Text } {
  const lang = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
  return { lang, text: TEXTS[lang] };
}

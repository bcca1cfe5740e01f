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

/** In the order of {@link Text}: its names twelve times over would be 1 % of the script. */
type Words = readonly [
  payment: string,
  other: string,
  close: string,
  loading: string,
  unreachable: string,
  retry: string,
  held: string,
];

const TEXTS: Record<Language, Words> = {
  en: [
    'Secure payment',
    'Your account',
    'Close',
    'Loading…',
    'This could not be loaded. Opening it charged nothing.',
    'Try again',
    'Your payment is being processed.',
  ],
  es: [
    'Pago seguro',
    'Su cuenta',
    'Cerrar',
    'Cargando…',
    'No se pudo cargar. Abrirlo no ha cobrado nada.',
    'Reintentar',
    'Su pago se está procesando.',
  ],
  fr: [
    'Paiement sécurisé',
    'Votre compte',
    'Fermer',
    'Chargement…',
    'Le chargement a échoué.',
    'Réessayer',
    'Votre paiement est en cours de traitement.',
  ],
  pt: [
    'Pagamento seguro',
    'Sua conta',
    'Fechar',
    'Carregando…',
    'Não foi possível carregar.',
    'Tentar novamente',
    'Seu pagamento está sendo processado.',
  ],
  'zh-Hans': ['安全付款', '您的账户', '关闭', '正在加载…', '无法加载。', '重试', '正在处理您的付款。'],
  'zh-Hant': ['安全付款', '您的帳戶', '關閉', '載入中…', '無法載入。', '重試', '正在處理您的付款。'],
  vi: [
    'Thanh toán an toàn',
    'Tài khoản của quý vị',
    'Đóng',
    'Đang tải…',
    'Không tải được.',
    'Thử lại',
    'Khoản thanh toán đang được xử lý.',
  ],
  ko: [
    '안전 결제',
    '내 계정',
    '닫기',
    '불러오는 중…',
    '불러올 수 없습니다.',
    '다시 시도',
    '결제를 처리하고 있습니다.',
  ],
  tl: [
    'Ligtas na pagbabayad',
    'Ang iyong account',
    'Isara',
    'Naglo-load…',
    'Hindi ito ma-load.',
    'Subukan muli',
    'Pinoproseso ang iyong bayad.',
  ],
  ru: [
    'Безопасная оплата',
    'Ваш счёт',
    'Закрыть',
    'Загрузка…',
    'Не удалось загрузить.',
    'Повторить',
    'Ваш платёж обрабатывается.',
  ],
  ht: [
    'Peman an sekirite',
    'Kont ou',
    'Fèmen',
    'Ap chaje…',
    'Sa pa t ka chaje.',
    'Eseye ankò',
    'N ap trete peman ou a.',
  ],
  ar: ['دفع آمن', 'حسابك', 'إغلاق', 'جارٍ التحميل…', 'تعذّر التحميل.', 'إعادة المحاولة', 'جارٍ معالجة دفعتك.'],
};

/** The words of the first of these tags that is one of ours, else English. */
export function wordsOf(tags: readonly string[]): { lang: Language; text: Text } {
  const lang = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
  const [payment, other, close, loading, unreachable, retry, held] = TEXTS[lang];
  return { lang, text: { payment, other, close, loading, unreachable, retry, held } };
}

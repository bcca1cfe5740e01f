import { LANGUAGES, matchLanguage, type Language } from '../../../service/src/shared/languages.js';

/** Every merchant's page loads these in every language, so they are few and short. */
export interface Text {
  /** Titles of the dialog and of the frame. */
  payment: string;
  other: string;
  close: string;
  loading: string;
  unreachable: string;
  retry: string;
}

/** In the order of {@link Text}, whose names, twelve times over, would be 1 % of the script. */
type Words = readonly [
  payment: string,
  other: string,
  close: string,
  loading: string,
  unreachable: string,
  retry: string,
];

const TEXTS: Record<Language, Words> = {
  en: [
    'Secure payment',
    'Your account',
    'Close',
    'Loading…',
    'This could not be loaded. Opening it charged nothing.',
    'Try again',
  ],
  es: [
    'Pago seguro',
    'Su cuenta',
    'Cerrar',
    'Cargando…',
    'No se pudo cargar. Abrirlo no ha cobrado nada.',
    'Reintentar',
  ],
  fr: [
    'Paiement sécurisé',
    'Votre compte',
    'Fermer',
    'Chargement…',
    'Le chargement a échoué. Rien n’a été débité.',
    'Réessayer',
  ],
  pt: [
    'Pagamento seguro',
    'Sua conta',
    'Fechar',
    'Carregando…',
    'Não foi possível carregar. Nada foi cobrado.',
    'Tentar novamente',
  ],
  'zh-Hans': ['安全付款', '您的账户', '关闭', '正在加载…', '无法加载。未扣款。', '重试'],
  'zh-Hant': ['安全付款', '您的帳戶', '關閉', '載入中…', '無法載入。未扣款。', '重試'],
  vi: [
    'Thanh toán an toàn',
    'Tài khoản của quý vị',
    'Đóng',
    'Đang tải…',
    'Không tải được. Chưa thu tiền.',
    'Thử lại',
  ],
  ko: [
    '안전 결제',
    '내 계정',
    '닫기',
    '불러오는 중…',
    '불러올 수 없습니다. 청구되지 않았습니다.',
    '다시 시도',
  ],
  tl: [
    'Ligtas na pagbabayad',
    'Ang iyong account',
    'Isara',
    'Naglo-load…',
    'Hindi ito ma-load. Walang siningil.',
    'Subukan muli',
  ],
  ru: [
    'Безопасная оплата',
    'Ваш счёт',
    'Закрыть',
    'Загрузка…',
    'Не удалось загрузить. Ничего не списано.',
    'Повторить',
  ],
  ht: [
    'Peman an sekirite',
    'Kont ou',
    'Fèmen',
    'Ap chaje…',
    'Sa pa t ka chaje. Yo pa pran lajan.',
    'Eseye ankò',
  ],
  ar: ['دفع آمن', 'حسابك', 'إغلاق', 'جارٍ التحميل…', 'تعذّر التحميل. لم يُخصم شيء.', 'إعادة المحاولة'],
};

/** The text of the first of these tags that is supported, or English. */
export function wordsOf(tags: readonly string[]): { lang: Language; text: Text } {
  const lang = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
  const [payment, other, close, loading, unreachable, retry] = TEXTS[lang];
  return { lang, text: { payment, other, close, loading, unreachable, retry } };
}

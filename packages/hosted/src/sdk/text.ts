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
    'This could not be loaded. Opening it did not charge you.',
    'Try again',
  ],
  es: [
    'Pago seguro',
    'Su cuenta',
    'Cerrar',
    'Cargando…',
    'No se pudo abrir. Abrir esta página no genera ningún cargo.',
    'Intentar de nuevo',
  ],
  fr: [
    'Paiement sécurisé',
    'Votre compte',
    'Fermer',
    'Chargement…',
    'Le chargement a échoué. L’ouverture de cette page n’a rien débité.',
    'Réessayer',
  ],
  pt: [
    'Pagamento seguro',
    'Sua conta',
    'Fechar',
    'Carregando…',
    'Não foi possível carregar. Abrir esta página não gerou nenhuma cobrança.',
    'Tentar novamente',
  ],
  'zh-Hans': ['安全付款', '您的账户', '关闭', '正在加载…', '无法加载。打开此页面不会扣款。', '重试'],
  'zh-Hant': ['安全付款', '您的帳戶', '關閉', '載入中…', '無法載入。開啟此頁面不會扣款。', '重試'],
  vi: [
    'Thanh toán an toàn',
    'Tài khoản của quý vị',
    'Đóng',
    'Đang tải…',
    'Không tải được. Việc mở trang này không làm quý vị bị trừ tiền.',
    'Thử lại',
  ],
  ko: [
    '안전 결제',
    '내 계정',
    '닫기',
    '불러오는 중…',
    '불러올 수 없습니다. 이 페이지를 여는 것만으로는 결제되지 않습니다.',
    '다시 시도',
  ],
  tl: [
    'Ligtas na pagbabayad',
    'Ang iyong account',
    'Isara',
    'Naglo-load…',
    'Hindi ito ma-load. Walang siningil sa pagbukas nito.',
    'Subukan muli',
  ],
  ru: [
    'Безопасная оплата',
    'Личный кабинет',
    'Закрыть',
    'Загрузка…',
    'Не удалось загрузить. При открытии этой страницы деньги не списываются.',
    'Повторить',
  ],
  ht: [
    'Peman an sekirite',
    'Kont ou',
    'Fèmen',
    'Paj la ap louvri…',
    'Paj la pa t ka louvri. Yo pa pran lajan paske ou louvri l.',
    'Eseye ankò',
  ],
  ar: [
    'دفع آمن',
    'حسابك',
    'إغلاق',
    'جارٍ التحميل…',
    'تعذّر التحميل. فتح هذه الصفحة لا يخصم أي مبلغ.',
    'إعادة المحاولة',
  ],
};

/** The text of the first of these tags that is supported, or English. */
export function wordsOf(tags: readonly string[]): { lang: Language; text: Text } {
  const lang = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
  const [payment, other, close, loading, unreachable, retry] = TEXTS[lang];
  return { lang, text: { payment, other, close, loading, unreachable, retry } };
}

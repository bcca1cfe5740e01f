/** Texts that a hosted page's HTML shows before its script runs. */
import type { Language, PageLanguage } from '../shared/languages.js';
import type { PageSession } from '../shared/page.js';

export type HostedFlow = PageSession['flow'];

interface ShellText {
  titles: Record<HostedFlow | 'problem', string>;
  loading: string;
  /** Test cards are accepted and nothing is charged. */
  testMode: string;
  /** The script failed to load. */
  broken: string;
  noScript: string;
}

const TEXTS: Record<Language, ShellText> = {
  en: {
    titles: {
      payment: 'Payment',
      autopay: 'AutoPay',
      wallet: 'Payment methods',
      paperless: 'Paperless billing',
      'schedule-payment': 'Schedule a payment',
      'scheduled-payments': 'Scheduled payments',
      notifications: 'Notifications',
      problem: 'This link cannot be opened',
    },
    loading: 'Loading…',
    testMode: 'Test mode',
    broken: 'This page could not be loaded. Check your connection and reload it.',
    noScript: 'Turn on JavaScript in your browser, then open the link again.',
  },
  es: {
    titles: {
      payment: 'Pago',
      autopay: 'Pago automático',
      wallet: 'Métodos de pago',
      paperless: 'Facturación electrónica',
      'schedule-payment': 'Programar un pago',
      'scheduled-payments': 'Pagos programados',
      notifications: 'Notificaciones',
      problem: 'No se puede abrir este enlace',
    },
    loading: 'Cargando…',
    testMode: 'Modo de prueba',
    broken: 'No se pudo abrir esta página. Verifique su conexión y vuelva a intentarlo.',
    noScript: 'Esta página necesita JavaScript. Permítalo en su navegador y vuelva a abrir el enlace.',
  },
  fr: {
    titles: {
      payment: 'Paiement',
      autopay: 'Paiement automatique',
      wallet: 'Modes de paiement',
      paperless: 'Factures électroniques',
      'schedule-payment': 'Programmer un paiement',
      'scheduled-payments': 'Paiements programmés',
      notifications: 'Notifications',
      problem: 'Ce lien ne peut pas être ouvert',
    },
    loading: 'Chargement…',
    testMode: 'Mode test',
    broken: 'Cette page n’a pas pu être chargée. Vérifiez votre connexion et rechargez-la.',
    noScript:
      'Cette page a besoin de JavaScript. Autorisez-le dans votre navigateur et ouvrez de nouveau le lien.',
  },
  pt: {
    titles: {
      payment: 'Pagamento',
      autopay: 'Pagamento automático',
      wallet: 'Formas de pagamento',
      paperless: 'Fatura digital',
      'schedule-payment': 'Agendar um pagamento',
      'scheduled-payments': 'Pagamentos agendados',
      notifications: 'Notificações',
      problem: 'Este link não pode ser aberto',
    },
    loading: 'Carregando…',
    testMode: 'Modo de teste',
    broken: 'Não foi possível carregar esta página. Verifique sua conexão e recarregue-a.',
    noScript: 'Esta página precisa de JavaScript. Permita-o no navegador e abra o link de novo.',
  },
  'zh-Hans': {
    titles: {
      payment: '付款',
      autopay: '自动付款',
      wallet: '付款方式',
      paperless: '电子账单',
      'schedule-payment': '预约付款',
      'scheduled-payments': '预约付款列表',
      notifications: '通知',
      problem: '无法打开此链接',
    },
    loading: '正在加载…',
    testMode: '测试模式',
    broken: '无法加载此页面。请检查网络连接后刷新。',
    noScript: '此页面需要 JavaScript。请在浏览器中允许后重新打开链接。',
  },
  'zh-Hant': {
    titles: {
      payment: '付款',
      autopay: '自動付款',
      wallet: '付款方式',
      paperless: '電子帳單',
      'schedule-payment': '預約付款',
      'scheduled-payments': '預約付款清單',
      notifications: '通知',
      problem: '無法開啟此連結',
    },
    loading: '載入中…',
    testMode: '測試模式',
    broken: '無法載入此頁面。請檢查網路連線後重新整理。',
    noScript: '此頁面需要 JavaScript。請在瀏覽器中允許後重新開啟連結。',
  },
  vi: {
    titles: {
      payment: 'Thanh toán',
      autopay: 'Thanh toán tự động',
      wallet: 'Phương thức thanh toán',
      paperless: 'Hóa đơn điện tử',
      'schedule-payment': 'Lên lịch thanh toán',
      'scheduled-payments': 'Các khoản đã lên lịch',
      notifications: 'Thông báo',
      problem: 'Không thể mở liên kết này',
    },
    loading: 'Đang tải…',
    testMode: 'Chế độ thử nghiệm',
    broken: 'Không tải được trang này. Hãy kiểm tra kết nối rồi tải lại.',
    noScript: 'Trang này cần JavaScript. Hãy cho phép trong trình duyệt rồi mở lại liên kết.',
  },
  ko: {
    titles: {
      payment: '결제',
      autopay: '자동 결제',
      wallet: '결제 수단',
      paperless: '전자 청구서',
      'schedule-payment': '결제 예약',
      'scheduled-payments': '예약된 결제',
      notifications: '알림',
      problem: '이 링크를 열 수 없습니다',
    },
    loading: '불러오는 중…',
    testMode: '테스트 모드',
    broken: '이 페이지를 불러올 수 없습니다. 연결을 확인하고 새로고침하세요.',
    noScript: '이 페이지에는 JavaScript가 필요합니다. 브라우저에서 허용한 뒤 링크를 다시 여세요.',
  },
  tl: {
    titles: {
      payment: 'Pagbabayad',
      autopay: 'AutoPay',
      wallet: 'Mga paraan ng pagbabayad',
      paperless: 'Paperless billing',
      'schedule-payment': 'Mag-iskedyul ng bayad',
      'scheduled-payments': 'Mga naka-iskedyul na bayad',
      notifications: 'Mga notipikasyon',
      problem: 'Hindi mabuksan ang link na ito',
    },
    loading: 'Naglo-load…',
    testMode: 'Test mode',
    broken: 'Hindi ma-load ang page na ito. Suriin ang iyong koneksyon at i-reload ito.',
    noScript:
      'Kailangan ng page na ito ang JavaScript. Payagan ito sa iyong browser at buksang muli ang link.',
  },
  ru: {
    titles: {
      payment: 'Оплата',
      autopay: 'Автоплатёж',
      wallet: 'Способы оплаты',
      paperless: 'Электронные счета',
      'schedule-payment': 'Запланировать платёж',
      'scheduled-payments': 'Запланированные платежи',
      notifications: 'Уведомления',
      problem: 'Эту ссылку нельзя открыть',
    },
    loading: 'Загрузка…',
    testMode: 'Тестовый режим',
    broken: 'Не удалось загрузить страницу. Проверьте подключение и обновите её.',
    noScript: 'Для этой страницы нужен JavaScript. Разрешите его в браузере и откройте ссылку снова.',
  },
  ht: {
    titles: {
      payment: 'Peman',
      autopay: 'Peman otomatik',
      wallet: 'Mwayen peman',
      paperless: 'Fakti elektwonik',
      'schedule-payment': 'Pwograme yon peman',
      'scheduled-payments': 'Peman pwograme',
      notifications: 'Notifikasyon',
      problem: 'Lyen sa a pa ka louvri',
    },
    loading: 'Paj la ap louvri…',
    testMode: 'Mòd tès',
    broken: 'Paj sa a pa t ka chaje. Verifye koneksyon w epi rechaje l.',
    noScript: 'Paj sa a bezwen JavaScript. Pèmèt li nan navigatè w la epi louvri lyen an ankò.',
  },
  ar: {
    titles: {
      payment: 'الدفع',
      autopay: 'الدفع التلقائي',
      wallet: 'وسائل الدفع',
      paperless: 'الفواتير الإلكترونية',
      'schedule-payment': 'جدولة دفعة',
      'scheduled-payments': 'الدفعات المجدولة',
      notifications: 'الإشعارات',
      problem: 'لا يمكن فتح هذا الرابط',
    },
    loading: 'جارٍ التحميل…',
    testMode: 'وضع الاختبار',
    broken: 'تعذّر تحميل هذه الصفحة. تحقق من اتصالك وأعد تحميلها.',
    noScript: 'تحتاج هذه الصفحة إلى JavaScript. اسمح به في متصفحك وافتح الرابط مرة أخرى.',
  },
};

export const SHELL_TEXT: Record<PageLanguage, ShellText> = { ...TEXTS, 'en-XA': TEXTS.en, 'ar-XB': TEXTS.en };

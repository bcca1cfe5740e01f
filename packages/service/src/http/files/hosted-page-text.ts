/** The few words that a hosted page's HTML says before its script has run. */
import type { Language, PageLanguage } from '../../shared/languages.js';
import type { PageSession } from '../../shared/page.js';

export type HostedFlow = PageSession['flow'];

interface ShellText {
  titles: Record<HostedFlow | 'problem', string>;
  loading: string;
  /** Its script cannot be had. */
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
    broken: 'This page could not be loaded. Check your connection and reload it.',
    noScript: 'This page needs JavaScript. Allow it in your browser and open the link again.',
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
    broken: 'No se pudo cargar esta página. Compruebe su conexión y vuelva a cargarla.',
    noScript: 'Esta página necesita JavaScript. Permítalo en su navegador y vuelva a abrir el enlace.',
  },
};

export const SHELL_TEXT: Record<PageLanguage, ShellText> = { ...TEXTS, 'en-XA': TEXTS.en, 'ar-XB': TEXTS.en };

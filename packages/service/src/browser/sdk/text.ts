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
    unreachable: 'This could not be loaded.',
    retry: 'Try again',
    held: 'Your payment is being processed.',
  },
  es: {
    payment: 'Pago seguro',
    other: 'Su cuenta',
    close: 'Cerrar',
    loading: 'Cargando…',
    unreachable: 'No se pudo cargar.',
    retry: 'Reintentar',
    held: 'Su pago se está procesando.',
  },
};

/** The words of the first of these tags that is one of ours, else English. */
export function wordsOf(tags: readonly string[]): { lang: Language; text: Text } {
  const lang = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
  return { lang, text: TEXTS[lang] };
}

const ENGLISH = {
  payment: 'Secure payment',
  other: 'Your account',
  close: 'Close',
  loading: 'Loading…',
  unreachable: 'This could not be loaded.',
  retry: 'Try again',
  held: 'Your payment is being processed.',
};

export type Text = typeof ENGLISH;

const SPANISH: Text = {
  payment: 'Pago seguro',
  other: 'Su cuenta',
  close: 'Cerrar',
  loading: 'Cargando…',
  unreachable: 'No se pudo cargar.',
  retry: 'Reintentar',
  held: 'Su pago se está procesando.',
};

export function chooseText(language: string): { lang: string; text: Text } {
  return /^es\b/i.test(language) ? { lang: 'es', text: SPANISH } : { lang: 'en', text: ENGLISH };
}

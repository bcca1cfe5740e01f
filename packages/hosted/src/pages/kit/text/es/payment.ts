import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Spanish. */
export const payment: PaymentText = {
  title: (business) => `Pagar a ${business}`,
  summary: 'Resumen',
  total: 'Total',
  charge: 'Pago',
  chooseAccounts: 'Elija qué pagar',
  selectAll: 'Seleccionar todo',
  selectNone: 'No seleccionar nada',
  chosen: (count, of) => `${count} de ${of} seleccionadas`,
  amountFor: (account) => `Importe para ${account}`,
  upTo: (max) => `Hasta ${max}`,
  reference: 'Referencia',
  paymentDetails: 'Datos del pago',
  pay: (amount) => `Pagar ${amount}`,
  payPlain: 'Pagar',
  notCharged: 'No se ha cobrado nada.',
  save: 'Guardar este método de pago',
  saveHint: (email) => `Para próximos pagos de ${email}`,
  bankAccount: 'mi cuenta bancaria',
  bankEnding: (last4) => `mi cuenta bancaria terminada en ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Al pulsar Pagar autorizo a ${business} el ${date} a debitar electrónicamente, una sola vez, ${amount} de ${account}, y a corregir un débito hecho por error. Puedo revocarlo comunicándome con ${business} hasta que el pago se envíe a mi banco.`,
  pos: (agent) => `Atendido por ${agent}`,
  posHint: 'Un agente introduce los datos del pagador y no se pueden guardar.',
};

export default { shared, part: payment };

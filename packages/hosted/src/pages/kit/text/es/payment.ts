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
  selectNone: 'Desmarcar todo',
  chosen: (count, of) => `Selección: ${count} de ${of}`,
  amountFor: (account) => `Monto para ${account}`,
  upTo: (max) => `Hasta ${max}`,
  reference: 'Referencia',
  paymentDetails: 'Datos del pago',
  pay: (amount) => `Pagar ${amount}`,
  payPlain: 'Pagar',
  notCharged: 'No se le cobró nada.',
  save: 'Guardar este método de pago',
  saveHint: (email) => `Para próximos pagos de ${email}`,
  bankAccount: 'mi cuenta bancaria',
  bankEnding: (last4) => `mi cuenta bancaria terminada en ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Al presionar Pagar, autorizo a ${business} a debitar electrónicamente ${amount} de ${account}, una sola vez, el ${date} o después de esa fecha, y a corregir cualquier débito hecho por error. Puedo revocar esta autorización comunicándome con ${business} antes de que el pago se envíe a mi banco.`,
  pos: (agent) => `Atendido por ${agent}`,
  posHint: 'Un agente ingresa los datos del pagador y no se pueden guardar.',
};

export default { shared, part: payment };

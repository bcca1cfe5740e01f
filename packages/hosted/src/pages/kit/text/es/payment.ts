import { bankDebit } from '../../../../../../service/src/shared/authorization/es.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Spanish. */
export const payment: PaymentText = {
  ...bankDebit,
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
  pos: (agent) => `Atendido por ${agent}`,
  posHint: 'Un agente ingresa los datos del pagador y no se pueden guardar.',
};

export default { shared, part: payment };

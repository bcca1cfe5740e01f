import { bankDebit } from '../../../../../../service/src/shared/authorization/pt.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Portuguese. */
export const payment: PaymentText = {
  ...bankDebit,
  title: (business) => `Pagar a ${business}`,
  summary: 'Resumo',
  total: 'Total',
  charge: 'Pagamento',
  chooseAccounts: 'Escolha o que pagar',
  selectAll: 'Selecionar tudo',
  selectNone: 'Desmarcar tudo',
  chosen: (count, of) => `Seleção: ${count} de ${of}`,
  amountFor: (account) => `Valor para ${account}`,
  upTo: (max) => `Até ${max}`,
  reference: 'Referência',
  paymentDetails: 'Dados do pagamento',
  pay: (amount) => `Pagar ${amount}`,
  payPlain: 'Pagar',
  notCharged: 'Nada foi cobrado.',
  save: 'Salvar esta forma de pagamento',
  saveHint: (email) => `Para os próximos pagamentos de ${email}`,
  pos: (agent) => `Atendido por ${agent}`,
  posHint: 'Os dados do pagador são digitados por um atendente e não podem ser salvos.',
};

export default { shared, part: payment };

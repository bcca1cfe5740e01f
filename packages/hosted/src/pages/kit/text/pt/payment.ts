import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Portuguese. */
export const payment: PaymentText = {
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
  bankAccount: 'minha conta bancária',
  bankEnding: (last4) => `minha conta bancária com final ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Ao pressionar Pagar, autorizo ${business} a debitar eletronicamente ${amount} de ${account}, uma única vez, em ${date} ou depois dessa data, e a corrigir qualquer débito feito por engano. Posso revogar esta autorização entrando em contato com ${business} antes que o pagamento seja enviado ao meu banco.`,
  pos: (agent) => `Atendido por ${agent}`,
  posHint: 'Os dados do pagador são digitados por um atendente e não podem ser salvos.',
};

export default { shared, part: payment };

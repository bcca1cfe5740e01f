import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Portuguese. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Conta ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'minha conta bancária',
  bankEnding: (last4) => `minha conta bancária com final ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Ao pressionar Pagar, autorizo ${business} a debitar eletronicamente ${amount} de ${account}, uma única vez, em ${date} ou depois dessa data, e a corrigir qualquer débito feito por engano. Posso revogar esta autorização entrando em contato com ${business} antes que o pagamento seja enviado ao meu banco.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `Autorizo ${business} a cobrar nesta forma de pagamento cada fatura de ${account} na data de vencimento, até que eu desative o pagamento automático. Posso desativá-lo a qualquer momento na página de pagamento automático de ${business} ou entrando em contato com ${business}; os pagamentos já enviados não são afetados.`,
  termsBodyMerchant: (business, account) =>
    `Autorizo ${business} a cobrar nesta forma de pagamento cada fatura de ${account} quando ela vencer, até que eu desative o pagamento automático. Posso desativá-lo a qualquer momento na página de pagamento automático de ${business} ou entrando em contato com ${business}; os pagamentos já enviados não são afetados.`,
  limit: 'Cada fatura é paga por inteiro, seja qual for o valor. Não há valor máximo.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `Ao agendar este pagamento, autorizo ${business} a fazer uma única cobrança${amount && ` de ${amount}`} nesta forma de pagamento${date && ` em ${date}`}. Posso revogar esta autorização antes desse dia cancelando o pagamento em Pagamentos agendados.`,
};

import { accountNumber } from '../../../../../../service/src/shared/authorization/pt.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Portuguese. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Pagamentos por ${operator}`,
    terms: 'Termos',
    privacyPolicy: 'Privacidade',
    help: 'Ajuda',
    accountNumber,
    optional: 'Opcional',
    backTo: (business) => `Voltar para ${business}`,
    working: 'Um momento…',
    privacy: (business) =>
      `Seus dados vão diretamente para o serviço de pagamento. ${business} não vê o número completo do seu cartão nem da sua conta bancária.`,
  },
  method: {
    legend: 'Forma de pagamento',
    card: 'Cartão',
    bank: 'Conta bancária',
    newCard: 'Novo cartão',
    newBank: 'Nova conta bancária',
    savedCard: (brand, last4) => `${brand} com final ${last4}`,
    savedBank: (last4) => `Conta bancária com final ${last4}`,
    unnamedCard: 'Cartão',
    expires: (expiry) => `Válido até ${expiry}`,
    expiredOn: (expiry) => `Expirou em ${expiry}`,
    isDefault: 'Padrão',
    cardNumber: 'Número do cartão',
    expiry: 'Data de validade',
    expiryHint: 'MM / AA',
    securityCode: 'Código de segurança',
    securityCodeHint: '3 dígitos no verso',
    securityCodeHintAmex: '4 dígitos na frente',
    nameOnCard: 'Nome no cartão',
    zip: 'Código postal (ZIP)',
    blocked: 'O banco não permite cobranças nesta conta. Escolha outra.',
  },
  account: {
    due: 'Vencimento',
    note: 'Observação',
    details: 'Detalhes',
  },
};

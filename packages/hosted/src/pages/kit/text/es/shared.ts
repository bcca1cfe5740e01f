import { accountNumber } from '../../../../../../service/src/shared/authorization/es.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Spanish. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Pagos a cargo de ${operator}`,
    terms: 'Condiciones',
    privacyPolicy: 'Privacidad',
    help: 'Ayuda',
    accountNumber,
    optional: 'Opcional',
    backTo: (business) => `Volver a ${business}`,
    working: 'Un momento…',
    privacy: (business) =>
      `Sus datos van directamente al servicio de pagos. ${business} no ve el número completo de su tarjeta ni de su cuenta bancaria.`,
  },
  method: {
    legend: 'Método de pago',
    card: 'Tarjeta',
    bank: 'Cuenta bancaria',
    newCard: 'Nueva tarjeta',
    newBank: 'Nueva cuenta bancaria',
    savedCard: (brand, last4) => `${brand} terminada en ${last4}`,
    savedBank: (last4) => `Cuenta bancaria terminada en ${last4}`,
    unnamedCard: 'Tarjeta',
    expires: (expiry) => `Vence ${expiry}`,
    expiredOn: (expiry) => `Venció ${expiry}`,
    isDefault: 'Predeterminado',
    cardNumber: 'Número de tarjeta',
    expiry: 'Fecha de vencimiento',
    expiryHint: 'MM / AA',
    securityCode: 'Código de seguridad',
    securityCodeHint: '3 dígitos al dorso',
    securityCodeHintAmex: '4 dígitos al frente',
    nameOnCard: 'Nombre en la tarjeta',
    zip: 'Código postal (ZIP)',
    blocked: 'El banco no permite hacer cargos a esta cuenta. Elija otra.',
  },
  account: {
    due: 'Vence',
    note: 'Nota',
    details: 'Detalles',
  },
};

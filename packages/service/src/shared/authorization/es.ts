import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Spanish. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Cuenta ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'mi cuenta bancaria',
  bankEnding: (last4) => `mi cuenta bancaria terminada en ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Al presionar Pagar, autorizo a ${business} a debitar electrónicamente ${amount} de ${account}, una sola vez, el ${date} o después de esa fecha, y a corregir cualquier débito hecho por error. Puedo revocar esta autorización comunicándome con ${business} antes de que el pago se envíe a mi banco.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `Autorizo a ${business} a cobrar a este método de pago cada factura de ${account} en su fecha de vencimiento, hasta que yo desactive el pago automático. Puedo desactivarlo en cualquier momento en la página de pago automático de ${business} o comunicándome con ${business}; esto no afecta los pagos ya enviados.`,
  termsBodyMerchant: (business, account) =>
    `Autorizo a ${business} a cobrar a este método de pago cada factura de ${account} cuando sea pagadera, hasta que yo desactive el pago automático. Puedo desactivarlo en cualquier momento en la página de pago automático de ${business} o comunicándome con ${business}; esto no afecta los pagos ya enviados.`,
  limit: 'Cada factura se paga completa, sea cual sea el monto. No hay un monto máximo.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `Al programar este pago, autorizo a ${business} a hacer un solo cargo a este método de pago${amount && ` por ${amount}`}${date && ` el ${date}`}. Puedo revocar esta autorización antes de ese día cancelando el pago en Pagos programados.`,
};

import { plural } from '../plural.js';
import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Spanish once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Procesando…',
  payingStatus: 'Estamos procesando su pago. Mantenga esta página abierta.',
  declined: 'Su pago fue rechazado. No se le cobró nada.',
  declinedHint: 'Revise los datos o use otro método de pago.',
  declineAdvice: {
    insufficient_funds: 'No hay fondos suficientes. Use otro método de pago.',
    card_expired: 'Esta tarjeta está vencida. Verifique la fecha o use otra tarjeta.',
    wrong_code: 'El código de seguridad no es correcto. Verifíquelo e inténtelo de nuevo.',
    wrong_zip: 'El código postal no corresponde a esta tarjeta. Verifíquelo e inténtelo de nuevo.',
  },
  attemptsLeft: (count) =>
    plural('es', count, { one: 'Queda un intento.', other: `Quedan ${count} intentos.` }),
  neverArrived: 'Su pago no nos llegó y no se le cobró nada.',
  neverArrivedHint: 'Presione Pagar para enviarlo de nuevo: no se le cobrará dos veces.',
  tooMany: {
    title: 'No quedan intentos',
    body: (business) =>
      `Se intentó pagar demasiadas veces y no se le cobró nada. Vuelva a ${business} y empiece de nuevo con otro método de pago.`,
  },
  unavailable: {
    title: 'En este momento no se pueden aceptar pagos aquí',
    body: (business) => `No se le cobró nada. Comuníquese con ${business} para pagar de otra manera.`,
  },
  checking: {
    title: 'Verificando su pago',
    titleProcessing: 'Su pago se está procesando',
    dropped: (amount) =>
      `Se perdió la conexión mientras se enviaba su pago de ${amount}. Estamos verificando si se realizó.`,
    processing: (amount) =>
      `Hemos recibido su pago de ${amount} y se está procesando. Puede tardar un momento.`,
    offline: 'Todavía no podemos conectarnos. Seguiremos intentándolo.',
    noRepeat: 'No pague otra vez: esta página mostrará el resultado.',
    now: 'Verificar ahora',
  },
  challenge: {
    title: 'Confirme su identidad',
    body: (amount) => `Su banco le pide que confirme su pago de ${amount}.`,
    frame: 'Confirmación de su banco',
    cancel: 'Cancelar el pago',
  },
  complete: 'Pago completado',
  submitted: 'Pago enviado',
  completeBody: (business) => `Gracias. ${business} ha recibido su pago.`,
  submittedBody: (business) =>
    `Gracias. Su pago bancario a ${business} está en camino y normalmente se procesa en dos días hábiles.`,
  failed: {
    title: 'El pago fue devuelto',
    body: (business) =>
      `Su banco devolvió este pago y no se completó. Vuelva a ${business} para pagar de nuevo.`,
  },
  over: {
    title: 'El recibo ya no se muestra aquí',
    body: (business) =>
      `El pago ya se realizó y el recibo se muestra durante un día. Vuelva a ${business} para ver qué se pagó.`,
  },
  receipt: 'Recibo',
  receiptNumber: 'Número de recibo',
  account: 'Cuenta',
  paidBy: 'Pagado por',
  takenBy: 'Atendido por',
  paidOn: 'Pagado el',
  submittedOn: 'Enviado el',
  paidWith: 'Pagado con',
  amountPaid: 'Monto pagado',
  amountSubmitted: 'Monto enviado',
  methodSaved: 'Este método de pago queda guardado para la próxima vez.',
  continueTo: (business) => `Continuar a ${business}`,
  next: {
    autopay: 'Activar el pago automático',
    paperless: 'Recibir facturas por correo electrónico',
  },
  returnToStart: 'Volver adonde empezó',
  emailReceipt: {
    label: 'Correo electrónico',
    send: 'Enviar el recibo por correo',
    sent: (address) => `Se envió a ${address}.`,
    invalid: 'Escriba un correo electrónico como ada@example.com.',
    failed: 'No se pudo enviar. Inténtelo más tarde o imprímalo.',
  },
  print: 'Imprimir',
};

export default { rest, part: after };

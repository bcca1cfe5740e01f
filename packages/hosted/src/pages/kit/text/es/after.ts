import { plural } from '../plural.js';
import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Spanish once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Procesando…',
  payingStatus: 'Estamos procesando su pago. Mantenga esta página abierta.',
  declined: 'Su pago fue rechazado. No se le ha cobrado.',
  declinedHint: 'Revise los datos o use otro método de pago.',
  attemptsLeft: (count) =>
    plural('es', count, { one: 'Queda un intento.', other: `Quedan ${count} intentos.` }),
  neverArrived: 'Su pago no nos llegó y no se le ha cobrado.',
  neverArrivedHint: 'Pulse Pagar para enviarlo de nuevo: no se puede cobrar dos veces.',
  tooMany: {
    title: 'No quedan intentos',
    body: (business) =>
      `Se intentó pagar demasiadas veces y no se le ha cobrado. Vuelva a ${business} y empiece de nuevo con otro método de pago.`,
  },
  unavailable: {
    title: 'Ahora mismo no se pueden aceptar pagos aquí',
    body: (business) => `No se le ha cobrado. Contacte con ${business} para pagar de otra manera.`,
  },
  checking: {
    title: 'Comprobando su pago',
    titleProcessing: 'Su pago se está procesando',
    dropped: (amount) =>
      `Se cortó la conexión mientras se enviaba su pago de ${amount}. Estamos preguntando al servicio qué ocurrió.`,
    processing: (amount) =>
      `Hemos recibido su pago de ${amount} y se está procesando. Puede tardar un momento.`,
    offline: 'Aún no se puede contactar con el servicio. Seguimos preguntando.',
    noRepeat: 'No pague otra vez: esta página mostrará el resultado.',
    now: 'Comprobar ahora',
  },
  complete: 'Pago completado',
  submitted: 'Pago enviado',
  completeBody: (business) => `Gracias. ${business} ha recibido su pago.`,
  submittedBody: (business) =>
    `Gracias. Su pago bancario a ${business} está en camino y suele liquidarse en dos días hábiles.`,
  failed: {
    title: 'El pago fue devuelto',
    body: (business) =>
      `Su banco devolvió este pago y no se completó. Vuelva a ${business} para pagar de nuevo.`,
  },
  over: {
    title: 'El recibo ya no se muestra aquí',
    body: (business) =>
      `Esta sesión ya recibió su pago y muestra el recibo durante un día. Vuelva a ${business} para ver qué se pagó.`,
  },
  receipt: 'Recibo',
  receiptNumber: 'Número de recibo',
  account: 'Cuenta',
  paidBy: 'Pagado por',
  takenBy: 'Atendido por',
  paidOn: 'Pagado el',
  submittedOn: 'Enviado el',
  paidWith: 'Pagado con',
  amountPaid: 'Importe pagado',
  amountSubmitted: 'Importe enviado',
  methodSaved: 'Este método de pago queda guardado para la próxima vez.',
  continueTo: (business) => `Continuar a ${business}`,
  returnToStart: 'Volver adonde empezó',
  print: 'Imprimir',
};

export default { rest, part: after };

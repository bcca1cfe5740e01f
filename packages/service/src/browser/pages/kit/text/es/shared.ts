import type { SharedText } from '../catalog.js';
import { plural } from '../plural.js';

/** What every hosted page says, in Spanish. */
export const shared: SharedText = {
  common: {
    cancel: 'Cancelar',
    close: 'Cerrar',
    done: 'Listo',
    optional: 'Opcional',
    tryAgain: 'Intentar de nuevo',
    working: 'Un momento…',
    testMode: 'Modo de prueba',
    testModeHint: 'No se mueve dinero. Use datos de prueba.',
    privacy: (business) =>
      `Sus datos van directamente al servicio de pagos. ${business} no ve el número de su tarjeta ni de su cuenta.`,
    privacyManage: (business) => `Ofrecido para ${business} por su servicio de pagos.`,
    accountNumber: (number) => `Cuenta ${number}`,
    endsSoon: (minutes) =>
      plural('es', minutes, {
        one: 'Esta sesión termina en menos de un minuto.',
        other: `Esta sesión termina en ${minutes} minutos.`,
      }),
    youMayClose: 'Todo listo. Puede cerrar esta página.',
    errorsTitle: (count) =>
      plural('es', count, { one: 'Hay un dato por revisar', other: `Hay ${count} datos por revisar` }),
    allSet: 'Todo listo',
    allSetBody: 'Sus cambios están guardados.',
    backToManage: 'Hacer otro cambio',
  },
  problem: {
    expired: {
      title: 'Esta sesión ha caducado',
      body: (business) =>
        `Por su seguridad permanece abierta un tiempo limitado. Vuelva a ${business} y empiece de nuevo para obtener otra.`,
    },
    canceled: {
      title: 'Esta sesión se canceló',
      body: (business) =>
        `${business} la cerró. No se ha cobrado nada. Vuelva a ${business} para ver qué queda por hacer.`,
    },
    unauthorized: {
      title: 'Este enlace no está completo',
      body: (business) => `Falta una parte o se modificó. Vuelva a ${business} y ábralo de nuevo.`,
    },
    unreachable: {
      title: 'No se puede contactar con el servicio de pagos',
      body: 'Compruebe su conexión e inténtelo de nuevo.',
    },
    broken: {
      title: 'Algo falló por nuestra parte',
      body: 'Inténtelo de nuevo en un momento.',
    },
    notAllowed: {
      title: 'Esta página se abrió desde un sitio no permitido',
      body: (origin) =>
        `Vuelva atrás y empiece de nuevo. Si es su sitio, añada ${origin} a los orígenes permitidos de la unidad de negocio.`,
    },
    silentFrame: {
      title: 'Esta página no se abrió correctamente',
      body: 'La página que la rodea no ha respondido. Vuelva atrás y empiece de nuevo. Si es su sitio, abra la sesión con el SDK, desde uno de los orígenes permitidos.',
    },
  },
  failure: {
    unreachable: 'Se cortó la conexión. Compruébela e inténtelo de nuevo: nada se hace dos veces.',
    internal: 'Algo falló por nuestra parte. Inténtelo de nuevo en un momento: nada se hace dos veces.',
    conflict: 'Esto cambió mientras tanto y no se pudo hacer. Recargue la página para ver cómo está.',
    notFound: 'Esto ya no existe. Recargue la página para ver cómo está.',
    invalid: 'El servicio no aceptó estos datos. Revíselos.',
    unavailable: 'Ahora mismo no se pueden añadir ni usar métodos de pago aquí, y no se ha cobrado nada.',
    noProcessor: 'Este servicio funciona sin procesador de pagos.',
  },
  method: {
    legend: 'Método de pago',
    card: 'Tarjeta',
    bank: 'Cuenta bancaria',
    newCard: 'Nueva tarjeta',
    newBank: 'Nueva cuenta bancaria',
    cardHint: 'Crédito o débito',
    bankHint: 'Cuenta bancaria de EE. UU.',
    savedCard: (brand, last4) => `${brand} terminada en ${last4}`,
    savedBank: (last4) => `Cuenta bancaria terminada en ${last4}`,
    unnamedCard: 'Tarjeta',
    expires: (expiry) => `Vence ${expiry}`,
    expiredOn: (expiry) => `Venció ${expiry}`,
    isDefault: 'Predeterminado',
    usedByAutopay: 'En uso por el pago automático',
    usedByScheduled: 'En uso por un pago programado',
    cardNumber: 'Número de tarjeta',
    expiry: 'Fecha de vencimiento',
    expiryHint: 'MM / AA',
    securityCode: 'Código de seguridad',
    securityCodeHint: '3 dígitos al dorso',
    securityCodeHintAmex: '4 dígitos al frente',
    nameOnCard: 'Nombre en la tarjeta',
    zip: 'Código postal (ZIP)',
    holder: 'Titular de la cuenta',
    routing: 'Número de ruta',
    routingHint: '9 dígitos, abajo a la izquierda en un cheque',
    accountNumber: 'Número de cuenta bancaria',
    none: 'No hay ningún método de pago disponible',
    noneBody: (business) =>
      `Las formas de pago que pide esta sesión no se ofrecen aquí. Contacte con ${business} para pagar de otra manera.`,
  },
  invalid: {
    required: (label) => `Falta: ${label}.`,
    cardShort: 'El número de tarjeta está incompleto.',
    cardNumber: 'Este número de tarjeta no es válido. Revise sus dígitos.',
    expiry: 'Escriba mes y año como MM / AA.',
    expiryPast: 'Esta tarjeta está vencida.',
    securityCode: (digits) => `Escriba los ${digits} dígitos del código de seguridad.`,
    zip: 'Escriba un código postal de 5 o 9 dígitos.',
    routing: 'Este número de ruta no es válido. Revise sus 9 dígitos.',
    bankAccount: 'Escriba un número de cuenta de 4 a 17 dígitos.',
    amount: 'Escriba un importe, por ejemplo 25.00.',
    amountRange: (min, max) => `Escriba un importe de ${min} a ${max}.`,
    nothingChosen: 'Elija al menos una cuenta para pagar.',
    noMethod: 'Elija un método de pago.',
    date: 'Elija una fecha.',
    dateRange: (from, to) => `Elija una fecha del ${from} al ${to}.`,
    terms: 'Acepte las condiciones para continuar.',
    phone: 'Escriba un número de teléfono con código de área.',
    phoneNeeded: 'Los mensajes de texto necesitan un número de teléfono.',
    tooLong: 'Es demasiado largo.',
    methodRemoved: 'Este método de pago se eliminó. Elija otro.',
    methodBlocked: 'El banco no permite hacer cargos a esta cuenta. Elija otra.',
    methodNotOffered: 'Este método de pago no se ofrece aquí. Elija otro.',
    notAccepted: 'No se aceptó este dato. Revíselo o use otro método de pago.',
  },
  account: {
    balance: 'Saldo',
    due: 'Vence',
    issued: 'Emitida',
    phone: 'Teléfono',
    address: 'Dirección',
    note: 'Nota',
    details: 'Detalles',
  },
};

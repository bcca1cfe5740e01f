import type { RestText } from '../catalog.js';
import { plural } from '../plural.js';

/** What hosted pages say besides, and no first form of a payment, in Spanish. */
export const rest: RestText = {
  common: {
    held: 'Su pago se está procesando.',
    cancel: 'Cancelar',
    close: 'Cerrar',
    done: 'Listo',
    leavePayment: '¿Salir de este pago?',
    leaveUnsaved: '¿Salir sin guardar?',
    leaveHint: 'No se guardará lo que escribió.',
    stay: 'Quedarme',
    leave: 'Salir',
    tryAgain: 'Intentar de nuevo',
    startAgain: 'Empezar de nuevo',
    privacyManage: (business) => `Página ofrecida por el servicio de pagos de ${business}.`,
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
      title: 'Esta sesión ha vencido',
      body: (business) =>
        `Por su seguridad, la sesión permanece abierta por tiempo limitado. Vuelva a ${business} y empiece de nuevo.`,
    },
    canceled: {
      title: 'Esta sesión se canceló',
      body: (business) =>
        `${business} la cerró. No se le cobró nada. Vuelva a ${business} para ver qué queda por hacer.`,
    },
    unauthorized: {
      title: 'Este enlace no está completo',
      body: (business) => `Falta una parte o se modificó. Vuelva a ${business} y ábralo de nuevo.`,
    },
    unreachable: {
      title: 'No podemos conectarnos con el servicio de pagos',
      body: 'Verifique su conexión e inténtelo de nuevo.',
    },
    broken: {
      title: 'Algo falló por nuestra parte',
      body: 'Inténtelo de nuevo en un momento.',
    },
    notAllowed: {
      title: 'Esta página se abrió desde un sitio no permitido',
      body: (origin) =>
        `Regrese y empiece de nuevo. Si es su sitio, agregue ${origin} a los orígenes permitidos de la unidad de negocio.`,
    },
    silentFrame: {
      title: 'Esta página no se abrió correctamente',
      body: 'La página que la rodea no ha respondido. Vuelva atrás y empiece de nuevo. Si es su sitio, abra la sesión con el SDK, desde uno de los orígenes permitidos.',
    },
  },
  failure: {
    unreachable: 'Se perdió la conexión. Verifíquela e inténtelo de nuevo: no se procesará dos veces.',
    internal: 'Algo falló de nuestra parte. Inténtelo de nuevo en un momento: no se procesará dos veces.',
    conflict:
      'La información cambió y no se pudo completar. Vuelva a cargar la página para ver el estado actual.',
    tooMany: 'Ha hecho muchos cambios en poco tiempo. Espere un minuto e inténtelo de nuevo.',
    notFound: 'Esto ya no existe. Vuelva a cargar la página.',
    invalid: 'El servicio no aceptó estos datos. Revíselos.',
    unavailable: 'En este momento no se pueden agregar ni usar métodos de pago aquí. No se le cobró nada.',
    noProcessor: 'Los pagos en línea todavía no están habilitados aquí.',
  },
  method: {
    usedByAutopay: 'En uso por el pago automático',
    usedByScheduled: 'En uso por un pago programado',
    country: 'País o región',
    postcode: 'Código postal',
    accountType: 'Tipo de cuenta',
    checking: 'Cheques',
    savings: 'Ahorros',
    holder: 'Titular de la cuenta',
    routing: 'Número de ruta',
    routingHint: '9 dígitos, abajo a la izquierda en un cheque',
    accountNumber: 'Número de cuenta bancaria',
    accountBack: (number) => `Verifique: ${number}`,
    none: 'No hay ningún método de pago disponible',
    noneBody: (business) =>
      `Los métodos de pago de esta factura no están disponibles aquí. Comuníquese con ${business} para pagar de otra manera.`,
  },
  invalid: {
    required: (label) => `Falta: ${label}.`,
    cardShort: 'El número de tarjeta está incompleto.',
    cardNumber: 'Este número de tarjeta no es válido. Revise sus dígitos.',
    expiry: 'Escriba mes y año como MM\u00a0/\u00a0AA.',
    expiryPast: 'Esta tarjeta está vencida.',
    securityCode: (digits) => `Escriba los ${digits} dígitos del código de seguridad.`,
    zip: 'Escriba un código postal de 5 o 9 dígitos.',
    postcode: 'Escriba el código postal como se usa en este país.',
    routing: 'Este número de ruta no es válido. Revise sus 9 dígitos.',
    bankAccount: 'Escriba un número de cuenta de 4 a 17 dígitos.',
    amount: 'Escriba un monto, por ejemplo 25.00.',
    amountRange: (min, max) => `Escriba un monto de ${min} a ${max}.`,
    nothingChosen: 'Elija al menos una cuenta para pagar.',
    noMethod: 'Elija un método de pago.',
    date: 'Elija una fecha.',
    dateRange: (from, to) => `Elija una fecha del ${from} al ${to}.`,
    terms: 'Acepte las condiciones para continuar.',
    phone: 'Escriba un número de teléfono con código de área.',
    phoneNeeded: 'Para recibir mensajes de texto, escriba un número de teléfono.',
    tooLong: 'Es demasiado largo.',
    methodRemoved: 'Este método de pago se eliminó. Elija otro.',
    methodNotOffered: 'Este método de pago no se ofrece aquí. Elija otro.',
    notAccepted: 'No se aceptó este dato. Revíselo o use otro método de pago.',
  },
  account: {
    balance: 'Saldo',
    issued: 'Fecha de emisión',
    phone: 'Teléfono',
    address: 'Dirección',
  },
};

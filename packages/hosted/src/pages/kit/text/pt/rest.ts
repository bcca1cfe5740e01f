import type { RestText } from '../catalog.js';
import { plural } from '../plural.js';

/** What hosted pages say besides, and no first form of a payment, in Portuguese. */
export const rest: RestText = {
  common: {
    held: 'Seu pagamento está sendo processado.',
    cancel: 'Cancelar',
    close: 'Fechar',
    done: 'Concluir',
    leavePayment: 'Sair deste pagamento?',
    leaveUnsaved: 'Sair sem salvar?',
    leaveHint: 'O que você digitou não será salvo.',
    stay: 'Ficar',
    leave: 'Sair',
    tryAgain: 'Tentar novamente',
    startAgain: 'Começar de novo',
    privacyManage: (business) => `Página oferecida pelo serviço de pagamento de ${business}.`,
    endsSoon: (minutes) =>
      plural('pt', minutes, {
        one: 'Esta sessão termina em menos de um minuto.',
        other: `Esta sessão termina em ${minutes} minutos.`,
      }),
    youMayClose: 'Tudo pronto. Você pode fechar esta página.',
    errorsTitle: (count) =>
      plural('pt', count, { one: 'Há um item a corrigir', other: `Há ${count} itens a corrigir` }),
    allSet: 'Tudo pronto',
    allSetBody: 'Suas alterações foram salvas.',
    backToManage: 'Fazer outra alteração',
  },
  problem: {
    expired: {
      title: 'Esta sessão expirou',
      body: (business) =>
        `Para sua segurança, ela fica aberta por tempo limitado. Volte para ${business} e comece de novo para obter outra.`,
    },
    canceled: {
      title: 'Esta sessão foi cancelada',
      body: (business) =>
        `${business} a encerrou. Nada foi cobrado. Volte para ${business} para ver o que falta fazer.`,
    },
    unauthorized: {
      title: 'Este link está incompleto',
      body: (business) => `Uma parte está faltando ou foi alterada. Volte para ${business} e abra-o de novo.`,
    },
    unreachable: {
      title: 'Não foi possível acessar o serviço de pagamento',
      body: 'Verifique sua conexão e tente novamente.',
    },
    broken: {
      title: 'Ocorreu um problema do nosso lado',
      body: 'Tente novamente em instantes.',
    },
    notAllowed: {
      title: 'Esta página foi aberta de um site não permitido',
      body: (origin) =>
        `Volte e comece de novo. Se este é o seu site, adicione ${origin} às origens permitidas da unidade de negócio.`,
    },
    silentFrame: {
      title: 'Esta página não foi aberta do modo correto',
      body: 'A página ao redor dela não respondeu. Volte e comece de novo. Se este é o seu site, abra a sessão com o SDK, a partir de uma das origens permitidas.',
    },
  },
  failure: {
    unreachable: 'A conexão caiu. Verifique-a e tente novamente: a operação não será processada duas vezes.',
    internal:
      'Ocorreu um problema do nosso lado. Tente novamente em instantes: a operação não será processada duas vezes.',
    conflict:
      'Algo mudou nesse meio-tempo e não foi possível concluir. Recarregue a página para ver a situação atual.',
    tooMany: 'Você fez muitas alterações em pouco tempo. Espere um minuto e tente novamente.',
    notFound: 'Isto não existe mais. Recarregue a página para ver a situação atual.',
    invalid: 'O serviço não aceitou estes dados. Verifique o que você digitou.',
    unavailable: 'No momento não é possível adicionar nem usar formas de pagamento aqui, e nada foi cobrado.',
    noProcessor: 'Os pagamentos on-line ainda não estão disponíveis aqui.',
  },
  method: {
    usedByAutopay: 'Usado pelo pagamento automático',
    usedByScheduled: 'Usado por um pagamento agendado',
    country: 'País ou região',
    postcode: 'Código postal',
    accountType: 'Tipo de conta',
    checking: 'Conta-corrente',
    savings: 'Poupança',
    holder: 'Titular da conta',
    routing: 'Número de roteamento',
    routingHint: '9 dígitos, no canto inferior esquerdo do cheque',
    accountNumber: 'Número da conta bancária',
    accountBack: (number) => `Confira: ${number}`,
    none: 'Nenhuma forma de pagamento disponível',
    noneBody: (business) =>
      `As formas de pagamento previstas não são oferecidas aqui. Fale com ${business} para pagar de outra forma.`,
  },
  invalid: {
    required: (label) => `Preencha este campo: ${label}.`,
    cardShort: 'O número do cartão está incompleto.',
    cardNumber: 'Este número de cartão não é válido. Verifique os dígitos.',
    expiry: 'Digite o mês e o ano como MM\u00a0/\u00a0AA.',
    expiryPast: 'Este cartão expirou.',
    securityCode: (digits) => `Digite os ${digits} dígitos do código de segurança.`,
    zip: 'Digite um código postal de 5 ou 9 dígitos.',
    postcode: 'Digite o código postal como se usa neste país.',
    routing: 'Este número de roteamento não é válido. Verifique os 9 dígitos.',
    bankAccount: 'Digite um número de conta de 4 a 17 dígitos.',
    amount: 'Digite um valor, como 25,00.',
    amountRange: (min, max) => `Digite um valor de ${min} a ${max}.`,
    nothingChosen: 'Escolha pelo menos uma conta para pagar.',
    noMethod: 'Escolha uma forma de pagamento.',
    date: 'Escolha uma data.',
    dateRange: (from, to) => `Escolha uma data de ${from} a ${to}.`,
    terms: 'Aceite os termos para continuar.',
    phone: 'Digite um número de telefone com código de área.',
    phoneNeeded: 'Para receber mensagens de texto, digite um número de telefone.',
    tooLong: 'Este texto é longo demais.',
    methodRemoved: 'Esta forma de pagamento foi removida. Escolha outra.',
    methodNotOffered: 'Esta forma de pagamento não é oferecida aqui. Escolha outra.',
    notAccepted: 'Este dado não foi aceito. Verifique-o ou use outra forma de pagamento.',
  },
  account: {
    balance: 'Saldo',
    issued: 'Emissão',
    phone: 'Telefone',
    address: 'Endereço',
  },
};

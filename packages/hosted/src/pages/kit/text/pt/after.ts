import type { AfterText } from '../catalog.js';
import { plural } from '../plural.js';
import { rest } from './rest.js';

/** What the payment page says in Portuguese once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Processando…',
  payingStatus: 'Seu pagamento está sendo processado. Mantenha esta página aberta.',
  declined: 'Seu pagamento foi recusado. Nada foi cobrado.',
  declinedHint: 'Verifique os dados ou use outra forma de pagamento.',
  declineAdvice: {
    insufficient_funds: 'Não há saldo suficiente. Use outra forma de pagamento.',
    card_expired: 'Este cartão está vencido. Verifique a data ou use outro cartão.',
    wrong_code: 'O código de segurança está incorreto. Verifique-o e tente de novo.',
    wrong_zip: 'O código postal não corresponde a este cartão. Verifique-o e tente de novo.',
  },
  attemptsLeft: (count) =>
    plural('pt', count, { one: 'Resta uma tentativa.', other: `Restam ${count} tentativas.` }),
  neverArrived: 'Seu pagamento não chegou até nós e nada foi cobrado.',
  neverArrivedHint: 'Pressione Pagar para enviá-lo de novo: não haverá cobrança em dobro.',
  tooMany: {
    title: 'Não restam tentativas',
    body: (business) =>
      `Houve muitas tentativas de pagamento, e nada foi cobrado. Volte para ${business} e comece de novo com outra forma de pagamento.`,
  },
  unavailable: {
    title: 'No momento não é possível pagar aqui',
    body: (business) => `Nada foi cobrado. Fale com ${business} para pagar de outra forma.`,
  },
  checking: {
    title: 'Verificando seu pagamento',
    titleProcessing: 'Seu pagamento está sendo processado',
    dropped: (amount) =>
      `A conexão caiu enquanto seu pagamento de ${amount} era enviado. Estamos verificando se ele foi concluído.`,
    processing: (amount) =>
      `Seu pagamento de ${amount} foi recebido e está sendo processado. Isso pode levar um momento.`,
    offline: 'Ainda não foi possível conectar. Continuaremos tentando.',
    noRepeat: 'Não pague de novo: esta página mostrará o resultado.',
    now: 'Verificar agora',
  },
  challenge: {
    title: 'Confirme sua identidade',
    body: (amount) => `Seu banco pede que você confirme seu pagamento de ${amount}.`,
    frame: 'Confirmação do seu banco',
    cancel: 'Cancelar o pagamento',
  },
  complete: 'Pagamento concluído',
  submitted: 'Pagamento enviado',
  completeBody: (business) => `Obrigado. ${business} recebeu seu pagamento.`,
  submittedBody: (business) =>
    `Obrigado. Seu pagamento bancário para ${business} está a caminho e costuma ser compensado em dois dias úteis.`,
  failed: {
    title: 'O pagamento foi devolvido',
    body: (business) =>
      `Seu banco devolveu este pagamento, que não foi concluído. Volte para ${business} para pagar de novo.`,
  },
  over: {
    title: 'O recibo não é mais mostrado aqui',
    body: (business) =>
      `O pagamento já foi feito e o recibo fica disponível por um dia. Volte para ${business} para ver o que foi pago.`,
  },
  receipt: 'Recibo',
  receiptNumber: 'Número do recibo',
  account: 'Conta',
  paidBy: 'Pago por',
  takenBy: 'Atendido por',
  paidOn: 'Pago em',
  submittedOn: 'Enviado em',
  paidWith: 'Pago com',
  amountPaid: 'Valor pago',
  amountSubmitted: 'Valor enviado',
  methodSaved: 'Esta forma de pagamento ficou salva para a próxima vez.',
  continueTo: (business) => `Continuar para ${business}`,
  next: {
    autopay: 'Ativar o pagamento automático',
    paperless: 'Mudar para fatura digital',
  },
  returnToStart: 'Voltar para onde você começou',
  emailReceipt: {
    label: 'Endereço de e-mail',
    send: 'Enviar este recibo por e-mail',
    sent: (address) => `Enviado para ${address}.`,
    invalid: 'Digite um e-mail como ada@example.com.',
    failed: 'Não foi possível enviar. Tente mais tarde ou imprima o recibo.',
  },
  print: 'Imprimir',
};

export default { rest, part: after };

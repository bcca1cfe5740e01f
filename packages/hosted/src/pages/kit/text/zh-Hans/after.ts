import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in simplified Chinese once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: '正在处理…',
  payingStatus: '正在处理您的付款。请勿关闭此页面。',
  declined: '您的付款被拒绝。未扣款。',
  declinedHint: '请检查信息，或使用其他付款方式。',
  declineAdvice: {
    insufficient_funds: '可用余额不足。请使用其他付款方式。',
    card_expired: '此卡已过期。请检查日期或使用其他卡。',
    wrong_code: '安全码不正确。请检查后重试。',
    wrong_zip: '邮政编码与此卡不符。请检查后重试。',
  },
  attemptsLeft: (count) => `还可尝试 ${count} 次。`,
  neverArrived: '我们没有收到您的付款，未扣款。',
  neverArrivedHint: '请点击“支付”重新发送：不会重复扣款。',
  tooMany: {
    title: '已无剩余尝试次数',
    body: (business) => `付款尝试次数过多，未扣款。请返回 ${business}，使用其他付款方式重新开始。`,
  },
  unavailable: {
    title: '目前无法在此付款',
    body: (business) => `未扣款。请联系 ${business} 以其他方式付款。`,
  },
  checking: {
    title: '正在核实您的付款',
    titleProcessing: '正在处理您的付款',
    dropped: (amount) => `发送您的 ${amount} 付款时连接中断。我们正在查询付款是否成功。`,
    processing: (amount) => `已收到您的 ${amount} 付款，正在处理。可能需要一点时间。`,
    offline: '仍无法连接服务。我们会继续查询。',
    noRepeat: '请勿再次付款：此页面会显示结果。',
    now: '立即查询',
  },
  challenge: {
    title: '请验证您的身份',
    body: (amount) => `您的银行要求您确认您的 ${amount} 付款。`,
    frame: '银行验证',
    cancel: '取消付款',
  },
  complete: '付款成功',
  submitted: '付款已提交',
  completeBody: (business) => `谢谢。${business} 已收到您的付款。`,
  submittedBody: (business) => `谢谢。您向 ${business} 的银行付款正在处理中，通常两个工作日内完成结算。`,
  failed: {
    title: '付款被退回',
    body: (business) => `您的银行退回了这笔付款，付款未完成。请返回 ${business} 重新付款。`,
  },
  over: {
    title: '此处不再显示收据',
    body: (business) => `付款已完成，收据只显示一天。请返回 ${business} 查看付款情况。`,
  },
  receipt: '收据',
  receiptNumber: '收据编号',
  account: '账户',
  paidBy: '付款人',
  takenBy: '受理人',
  paidOn: '付款时间',
  submittedOn: '提交时间',
  paidWith: '付款方式',
  amountPaid: '已付金额',
  amountSubmitted: '已提交金额',
  methodSaved: '此付款方式已保存，供下次使用。',
  continueTo: (business) => `继续前往 ${business}`,
  next: {
    autopay: '开启自动付款',
    paperless: '改用电子账单',
  },
  returnToStart: '返回起始页面',
  emailReceipt: {
    label: '电子邮件地址',
    send: '用电子邮件发送收据',
    sent: (address) => `已发送至 ${address}。`,
    invalid: '请输入电子邮件地址，例如 ada@example.com。',
    failed: '无法发送。请稍后再试，或打印收据。',
  },
  print: '打印',
};

export default { rest, part: after };

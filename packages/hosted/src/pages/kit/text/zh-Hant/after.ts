import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in traditional Chinese once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: '正在處理…',
  payingStatus: '正在處理您的付款。請勿關閉此頁面。',
  declined: '您的付款被拒絕。未扣款。',
  declinedHint: '請檢查資訊，或使用其他付款方式。',
  declineAdvice: {
    insufficient_funds: '可用餘額不足。請使用其他付款方式。',
    card_expired: '此卡已過期。請檢查日期或使用其他卡片。',
    wrong_code: '安全碼不正確。請檢查後再試。',
    wrong_zip: '郵遞區號與此卡不符。請檢查後再試。',
  },
  attemptsLeft: (count) => `還可嘗試 ${count} 次。`,
  neverArrived: '我們沒有收到您的付款，未扣款。',
  neverArrivedHint: '請按「付款」重新傳送：不會重複扣款。',
  tooMany: {
    title: '已無剩餘嘗試次數',
    body: (business) => `付款嘗試次數過多，未扣款。請返回 ${business}，使用其他付款方式重新開始。`,
  },
  unavailable: {
    title: '目前無法在此付款',
    body: (business) => `未扣款。請聯絡 ${business} 以其他方式付款。`,
  },
  checking: {
    title: '正在確認您的付款',
    titleProcessing: '正在處理您的付款',
    dropped: (amount) => `傳送您的 ${amount} 付款時連線中斷。我們正在查詢付款是否成功。`,
    processing: (amount) => `已收到您的 ${amount} 付款，正在處理。可能需要一點時間。`,
    offline: '仍無法連線至服務。我們會繼續查詢。',
    noRepeat: '請勿再次付款：此頁面會顯示結果。',
    now: '立即查詢',
  },
  challenge: {
    title: '請驗證您的身分',
    body: (amount) => `您的銀行要求您確認您的 ${amount} 付款。`,
    frame: '銀行驗證',
    cancel: '取消付款',
  },
  complete: '付款成功',
  submitted: '付款已送出',
  completeBody: (business) => `謝謝。${business} 已收到您的付款。`,
  submittedBody: (business) => `謝謝。您向 ${business} 的銀行付款正在處理中，通常兩個工作日內完成入帳。`,
  failed: {
    title: '付款被退回',
    body: (business) => `您的銀行退回了這筆付款，付款未完成。請返回 ${business} 重新付款。`,
  },
  over: {
    title: '此處不再顯示收據',
    body: (business) => `付款已完成，收據只顯示一天。請返回 ${business} 查看付款情況。`,
  },
  receipt: '收據',
  receiptNumber: '收據號碼',
  account: '帳戶',
  paidBy: '付款人',
  takenBy: '受理人',
  paidOn: '付款時間',
  submittedOn: '送出時間',
  paidWith: '付款方式',
  amountPaid: '已付金額',
  amountSubmitted: '已送出金額',
  methodSaved: '此付款方式已儲存，供下次使用。',
  continueTo: (business) => `繼續前往 ${business}`,
  next: {
    autopay: '開啟自動付款',
    paperless: '改用電子帳單',
  },
  returnToStart: '返回起始頁面',
  emailReceipt: {
    label: '電子郵件地址',
    send: '以電子郵件傳送收據',
    sent: (address) => `已傳送至 ${address}。`,
    invalid: '請輸入電子郵件地址，例如 ada@example.com。',
    failed: '無法傳送。請稍後再試，或列印收據。',
  },
  print: '列印',
};

export default { rest, part: after };

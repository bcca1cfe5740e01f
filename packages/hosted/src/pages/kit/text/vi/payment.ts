import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Vietnamese. */
export const payment: PaymentText = {
  title: (business) => `Thanh toán cho ${business}`,
  summary: 'Tóm tắt',
  total: 'Tổng cộng',
  charge: 'Khoản thanh toán',
  chooseAccounts: 'Chọn khoản cần thanh toán',
  selectAll: 'Chọn tất cả',
  selectNone: 'Bỏ chọn tất cả',
  chosen: (count, of) => `Đã chọn ${count}/${of}`,
  amountFor: (account) => `Số tiền cho ${account}`,
  upTo: (max) => `Tối đa ${max}`,
  reference: 'Mã tham chiếu',
  paymentDetails: 'Thông tin thanh toán',
  pay: (amount) => `Thanh toán ${amount}`,
  payPlain: 'Thanh toán',
  notCharged: 'Quý vị chưa bị trừ tiền.',
  save: 'Lưu phương thức thanh toán này',
  saveHint: (email) => `Cho các lần thanh toán sau của ${email}`,
  bankAccount: 'tài khoản ngân hàng của tôi',
  bankEnding: (last4) => `tài khoản ngân hàng của tôi có số cuối ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Khi nhấn Thanh toán, tôi cho phép ${business} ghi nợ điện tử một lần số tiền ${amount} từ ${account} vào hoặc sau ngày ${date}, và điều chỉnh mọi khoản ghi nợ nhầm. Tôi có thể rút lại sự cho phép này bằng cách liên hệ ${business} trước khi khoản thanh toán được gửi tới ngân hàng của tôi.`,
  pos: (agent) => `Người tiếp nhận: ${agent}`,
  posHint: 'Thông tin của người trả tiền do nhân viên nhập và không thể lưu.',
};

export default { shared, part: payment };

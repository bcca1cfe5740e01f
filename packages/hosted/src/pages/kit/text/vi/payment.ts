import { bankDebit } from '../../../../../../service/src/shared/authorization/vi.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Vietnamese. */
export const payment: PaymentText = {
  ...bankDebit,
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
  pos: (agent) => `Người tiếp nhận: ${agent}`,
  posHint: 'Thông tin của người trả tiền do nhân viên nhập và không thể lưu.',
};

export default { shared, part: payment };

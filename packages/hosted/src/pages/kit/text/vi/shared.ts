import { accountNumber } from '../../../../../../service/src/shared/authorization/vi.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Vietnamese. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Thanh toán do ${operator} cung cấp`,
    terms: 'Điều khoản',
    privacyPolicy: 'Quyền riêng tư',
    help: 'Trợ giúp',
    accountNumber,
    optional: 'Không bắt buộc',
    backTo: (business) => `Quay lại ${business}`,
    working: 'Vui lòng chờ…',
    privacy: (business) =>
      `Thông tin của quý vị được gửi thẳng đến dịch vụ thanh toán. ${business} không thấy số thẻ hay số tài khoản ngân hàng đầy đủ của quý vị.`,
  },
  method: {
    legend: 'Phương thức thanh toán',
    card: 'Thẻ',
    bank: 'Tài khoản ngân hàng',
    newCard: 'Thẻ mới',
    newBank: 'Tài khoản ngân hàng mới',
    savedCard: (brand, last4) => `${brand} có số cuối ${last4}`,
    savedBank: (last4) => `Tài khoản ngân hàng có số cuối ${last4}`,
    unnamedCard: 'Thẻ',
    expires: (expiry) => `Hết hạn ${expiry}`,
    expiredOn: (expiry) => `Đã hết hạn ${expiry}`,
    isDefault: 'Mặc định',
    cardNumber: 'Số thẻ',
    expiry: 'Ngày hết hạn',
    expiryHint: 'MM / YY',
    securityCode: 'Mã bảo mật',
    securityCodeHint: '3 chữ số ở mặt sau',
    securityCodeHintAmex: '4 chữ số ở mặt trước',
    nameOnCard: 'Tên trên thẻ',
    zip: 'Mã bưu chính (ZIP)',
    blocked: 'Ngân hàng không cho phép trừ tiền từ tài khoản này. Hãy chọn tài khoản khác.',
  },
  account: {
    due: 'Đến hạn',
    note: 'Ghi chú',
    details: 'Chi tiết',
  },
};

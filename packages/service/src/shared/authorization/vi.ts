import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Vietnamese. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Tài khoản ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'tài khoản ngân hàng của tôi',
  bankEnding: (last4) => `tài khoản ngân hàng của tôi có số cuối ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Khi nhấn Thanh toán, tôi cho phép ${business} ghi nợ điện tử một lần số tiền ${amount} từ ${account} vào hoặc sau ngày ${date}, và điều chỉnh mọi khoản ghi nợ nhầm. Tôi có thể rút lại sự cho phép này bằng cách liên hệ ${business} trước khi khoản thanh toán được gửi tới ngân hàng của tôi.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `Tôi cho phép ${business} trừ tiền từ phương thức thanh toán này cho mỗi hóa đơn của ${account} vào ngày đến hạn, cho đến khi tôi tắt thanh toán tự động. Tôi có thể tắt bất cứ lúc nào trên trang thanh toán tự động của ${business} hoặc bằng cách liên hệ ${business}; các khoản đã gửi không bị ảnh hưởng.`,
  termsBodyMerchant: (business, account) =>
    `Tôi cho phép ${business} trừ tiền từ phương thức thanh toán này cho mỗi hóa đơn của ${account} khi hóa đơn đến kỳ thanh toán, cho đến khi tôi tắt thanh toán tự động. Tôi có thể tắt bất cứ lúc nào trên trang thanh toán tự động của ${business} hoặc bằng cách liên hệ ${business}; các khoản đã gửi không bị ảnh hưởng.`,
  limit: 'Mỗi hóa đơn được thanh toán toàn bộ, bất kể số tiền. Không có số tiền tối đa.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `Khi lên lịch khoản thanh toán này, tôi cho phép ${business} trừ tiền một lần từ phương thức thanh toán này${amount && `, số tiền ${amount}`}${date && `, vào ngày ${date}`}. Trước ngày đó, tôi có thể rút lại sự cho phép này bằng cách hủy khoản thanh toán trong mục Các khoản đã lên lịch.`,
};

import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Vietnamese once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Đang xử lý…',
  payingStatus: 'Đang xử lý khoản thanh toán. Vui lòng không đóng trang này.',
  declined: 'Khoản thanh toán bị từ chối. Quý vị chưa bị trừ tiền.',
  declinedHint: 'Hãy kiểm tra thông tin, hoặc dùng phương thức thanh toán khác.',
  declineAdvice: {
    insufficient_funds: 'Số dư không đủ. Hãy dùng phương thức thanh toán khác.',
    card_expired: 'Thẻ này đã hết hạn. Hãy kiểm tra ngày hoặc dùng thẻ khác.',
    wrong_code: 'Mã bảo mật không đúng. Hãy kiểm tra rồi thử lại.',
    wrong_zip: 'Mã ZIP không khớp với thẻ này. Hãy kiểm tra rồi thử lại.',
  },
  attemptsLeft: (count) => `Còn ${count} lần thử.`,
  neverArrived: 'Chúng tôi chưa nhận được khoản thanh toán, và quý vị chưa bị trừ tiền.',
  neverArrivedHint: 'Nhấn Thanh toán để gửi lại: quý vị sẽ không bị trừ tiền hai lần.',
  tooMany: {
    title: 'Không còn lần thử nào',
    body: (business) =>
      `Đã thử thanh toán quá nhiều lần, và quý vị chưa bị trừ tiền. Hãy quay lại ${business} và bắt đầu lại với phương thức thanh toán khác.`,
  },
  unavailable: {
    title: 'Hiện không thể thanh toán tại đây',
    body: (business) => `Quý vị chưa bị trừ tiền. Hãy liên hệ ${business} để thanh toán bằng cách khác.`,
  },
  checking: {
    title: 'Đang kiểm tra khoản thanh toán',
    titleProcessing: 'Khoản thanh toán đang được xử lý',
    dropped: (amount) =>
      `Kết nối bị ngắt khi đang gửi khoản thanh toán ${amount}. Chúng tôi đang kiểm tra xem giao dịch đã thành công chưa.`,
    processing: (amount) =>
      `Khoản thanh toán ${amount} đã được nhận và đang được xử lý. Việc này có thể mất một lúc.`,
    offline: 'Vẫn chưa kết nối được. Chúng tôi sẽ tiếp tục thử.',
    noRepeat: 'Vui lòng không thanh toán lại: trang này sẽ hiển thị kết quả.',
    now: 'Kiểm tra ngay',
  },
  challenge: {
    title: 'Xác nhận danh tính của quý vị',
    body: (amount) => `Ngân hàng yêu cầu quý vị xác nhận khoản thanh toán ${amount}.`,
    frame: 'Xác nhận của ngân hàng',
    cancel: 'Hủy thanh toán',
  },
  complete: 'Thanh toán hoàn tất',
  submitted: 'Đã gửi khoản thanh toán',
  completeBody: (business) => `Cảm ơn quý vị. ${business} đã nhận được khoản thanh toán.`,
  submittedBody: (business) =>
    `Cảm ơn quý vị. Khoản thanh toán qua ngân hàng cho ${business} đang được chuyển và thường hoàn tất trong hai ngày làm việc.`,
  failed: {
    title: 'Khoản thanh toán bị trả lại',
    body: (business) =>
      `Ngân hàng của quý vị đã trả lại khoản này nên thanh toán chưa hoàn tất. Hãy quay lại ${business} để thanh toán lại.`,
  },
  over: {
    title: 'Biên nhận không còn hiển thị ở đây',
    body: (business) =>
      `Khoản thanh toán đã hoàn tất và biên nhận chỉ hiển thị trong một ngày. Hãy quay lại ${business} để xem những gì đã thanh toán.`,
  },
  receipt: 'Biên nhận',
  receiptNumber: 'Số biên nhận',
  account: 'Tài khoản',
  paidBy: 'Người thanh toán',
  takenBy: 'Người tiếp nhận',
  paidOn: 'Thanh toán lúc',
  submittedOn: 'Gửi lúc',
  paidWith: 'Thanh toán bằng',
  amountPaid: 'Số tiền đã thanh toán',
  amountSubmitted: 'Số tiền đã gửi',
  methodSaved: 'Phương thức thanh toán này đã được lưu cho lần sau.',
  continueTo: (business) => `Tiếp tục đến ${business}`,
  next: {
    autopay: 'Bật thanh toán tự động',
    paperless: 'Chuyển sang hóa đơn điện tử',
  },
  returnToStart: 'Quay lại nơi bắt đầu',
  emailReceipt: {
    label: 'Địa chỉ email',
    send: 'Gửi biên lai này qua email',
    sent: (address) => `Đã gửi đến ${address}.`,
    invalid: 'Nhập địa chỉ email, ví dụ ada@example.com.',
    failed: 'Không gửi được. Vui lòng thử lại sau hoặc in biên lai.',
  },
  print: 'In',
};

export default { rest, part: after };

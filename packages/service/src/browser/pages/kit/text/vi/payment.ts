import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Vietnamese. */
export const payment: PaymentText = {
  title: (business) => `Thanh toán cho ${business}`,
  summary: 'Tóm tắt',
  total: 'Tổng cộng',
  charge: 'Khoản thanh toán',
  chooseAccounts: 'Chọn khoản cần thanh toán',
  amountFor: (account) => `Số tiền cho ${account}`,
  upTo: (max) => `Tối đa ${max}`,
  reference: 'Mã tham chiếu',
  paymentDetails: 'Thông tin thanh toán',
  pay: (amount) => `Thanh toán ${amount}`,
  payPlain: 'Thanh toán',
  paying: 'Đang xử lý…',
  payingStatus: 'Đang xử lý khoản thanh toán. Vui lòng không đóng trang này.',
  save: 'Lưu phương thức thanh toán này',
  saveHint: (email) => `Cho các lần thanh toán sau của ${email}`,
  achTerms: (business, amount) =>
    `Khi nhấn Thanh toán, quý vị cho phép ${business} ghi nợ tài khoản ngân hàng của quý vị một lần với số tiền ${amount}.`,
  pos: (agent) => `Người tiếp nhận: ${agent}`,
  posHint: 'Thông tin của người trả tiền do nhân viên nhập và không thể lưu.',
  backTo: (business) => `Quay lại ${business}`,
  declined: 'Khoản thanh toán bị từ chối. Quý vị chưa bị tính tiền.',
  declinedHint: 'Hãy kiểm tra thông tin, hoặc dùng phương thức thanh toán khác.',
  attemptsLeft: (count) => `Còn ${count} lần thử.`,
  neverArrived: 'Chúng tôi chưa nhận được khoản thanh toán, và quý vị chưa bị tính tiền.',
  neverArrivedHint: 'Nhấn Thanh toán để gửi lại: khoản này không thể bị tính hai lần.',
  tooMany: {
    title: 'Không còn lần thử nào',
    body: (business) =>
      `Đã thử thanh toán quá nhiều lần, và quý vị chưa bị tính tiền. Hãy quay lại ${business} và bắt đầu lại với phương thức thanh toán khác.`,
  },
  unavailable: {
    title: 'Hiện không thể thanh toán tại đây',
    body: (business) => `Quý vị chưa bị tính tiền. Hãy liên hệ ${business} để thanh toán bằng cách khác.`,
  },
  checking: {
    title: 'Đang kiểm tra khoản thanh toán',
    titleProcessing: 'Khoản thanh toán đang được xử lý',
    dropped: (amount) =>
      `Kết nối bị ngắt khi đang gửi khoản thanh toán ${amount}. Chúng tôi đang hỏi dịch vụ về kết quả.`,
    processing: (amount) =>
      `Khoản thanh toán ${amount} đã được nhận và đang được xử lý. Việc này có thể mất một lúc.`,
    offline: 'Vẫn chưa kết nối được với dịch vụ. Chúng tôi tiếp tục hỏi.',
    noRepeat: 'Vui lòng không thanh toán lại: trang này sẽ hiển thị kết quả.',
    now: 'Kiểm tra ngay',
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
  returnToStart: 'Quay lại nơi bắt đầu',
  print: 'In',
};

export default { shared, part: payment };

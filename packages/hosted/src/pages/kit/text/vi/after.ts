import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Vietnamese once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Đang xử lý…',
  payingStatus: 'Đang xử lý khoản thanh toán. Vui lòng không đóng trang này.',
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
  over: {
    title: 'Biên nhận không còn hiển thị ở đây',
    body: (business) =>
      `Phiên này đã nhận thanh toán và chỉ hiển thị biên nhận trong một ngày. Hãy quay lại ${business} để xem những gì đã thanh toán.`,
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

export default { rest, part: after };

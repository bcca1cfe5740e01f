import type { RestText } from '../catalog.js';

/** What hosted pages say besides, and no first form of a payment, in Vietnamese. */
export const rest: RestText = {
  common: {
    held: 'Khoản thanh toán đang được xử lý.',
    cancel: 'Hủy',
    close: 'Đóng',
    done: 'Xong',
    leavePayment: 'Rời khỏi khoản thanh toán này?',
    leaveUnsaved: 'Rời khỏi mà không lưu?',
    leaveHint: 'Nội dung quý vị đã nhập sẽ không được giữ lại.',
    stay: 'Ở lại',
    leave: 'Rời khỏi',
    tryAgain: 'Thử lại',
    startAgain: 'Bắt đầu lại',
    privacyManage: (business) => `Do dịch vụ thanh toán của ${business} cung cấp.`,
    endsSoon: (minutes) => `Phiên này sẽ kết thúc trong vòng ${minutes} phút.`,
    youMayClose: 'Đã xong. Quý vị có thể đóng trang này.',
    errorsTitle: (count) => `Có ${count} mục cần kiểm tra`,
    allSet: 'Đã xong',
    allSetBody: 'Các thay đổi của quý vị đã được lưu.',
    backToManage: 'Thay đổi mục khác',
  },
  problem: {
    expired: {
      title: 'Phiên này đã hết hạn',
      body: (business) =>
        `Để bảo đảm an toàn, phiên chỉ mở trong thời gian giới hạn. Hãy quay lại ${business} và bắt đầu lại.`,
    },
    canceled: {
      title: 'Phiên này đã bị hủy',
      body: (business) =>
        `${business} đã đóng phiên này. Quý vị chưa bị trừ tiền. Hãy quay lại ${business} để xem những việc còn lại.`,
    },
    unauthorized: {
      title: 'Liên kết này không đầy đủ',
      body: (business) =>
        `Một phần bị thiếu hoặc đã bị thay đổi. Hãy quay lại ${business} và mở lại liên kết.`,
    },
    unreachable: {
      title: 'Không thể kết nối với dịch vụ thanh toán',
      body: 'Hãy kiểm tra kết nối mạng rồi thử lại.',
    },
    broken: {
      title: 'Đã xảy ra lỗi ở phía chúng tôi',
      body: 'Hãy thử lại sau giây lát.',
    },
    notAllowed: {
      title: 'Trang này được mở từ một nơi không được phép',
      body: (origin) =>
        `Hãy quay lại và bắt đầu lại. Nếu đây là trang của quý vị, hãy thêm ${origin} vào các nguồn được phép của đơn vị kinh doanh.`,
    },
    silentFrame: {
      title: 'Trang này không được mở đúng cách',
      body: 'Trang bao quanh không phản hồi. Hãy quay lại và bắt đầu lại. Nếu đây là trang của quý vị, hãy mở phiên bằng SDK, từ một trong các nguồn được phép.',
    },
  },
  failure: {
    unreachable: 'Kết nối bị ngắt. Hãy kiểm tra rồi thử lại: giao dịch sẽ không bị thực hiện hai lần.',
    internal:
      'Đã xảy ra lỗi ở phía chúng tôi. Hãy thử lại sau giây lát: giao dịch sẽ không bị thực hiện hai lần.',
    conflict: 'Tình trạng đã thay đổi nên không thể thực hiện. Hãy tải lại trang để xem tình trạng hiện tại.',
    tooMany: 'Quý vị đã thực hiện quá nhiều thay đổi trong thời gian ngắn. Hãy đợi một phút rồi thử lại.',
    notFound: 'Mục này không còn nữa. Hãy tải lại trang để xem tình trạng hiện tại.',
    invalid: 'Dịch vụ không chấp nhận thông tin này. Hãy kiểm tra nội dung đã nhập.',
    unavailable: 'Hiện không thể thêm hoặc dùng phương thức thanh toán tại đây. Quý vị chưa bị trừ tiền.',
    noProcessor: 'Thanh toán trực tuyến chưa được thiết lập tại đây.',
  },
  method: {
    usedByAutopay: 'Dùng cho thanh toán tự động',
    usedByScheduled: 'Dùng cho khoản thanh toán đã lên lịch',
    country: 'Quốc gia hoặc khu vực',
    postcode: 'Mã bưu chính',
    accountType: 'Loại tài khoản',
    checking: 'Tài khoản vãng lai',
    savings: 'Tài khoản tiết kiệm',
    holder: 'Chủ tài khoản',
    routing: 'Số định tuyến',
    routingHint: '9 chữ số, ở góc dưới bên trái của tấm séc',
    accountNumber: 'Số tài khoản ngân hàng',
    accountBack: (number) => `Vui lòng kiểm tra: ${number}`,
    none: 'Không có phương thức thanh toán nào',
    noneBody: (business) =>
      `Các cách thanh toán mà phiên này yêu cầu không có tại đây. Hãy liên hệ ${business} để thanh toán bằng cách khác.`,
  },
  invalid: {
    required: (label) => `Cần điền: ${label}.`,
    cardShort: 'Số thẻ chưa đầy đủ.',
    cardNumber: 'Số thẻ này không hợp lệ. Hãy kiểm tra các chữ số.',
    expiry: 'Nhập tháng và năm theo dạng 08\u00a0/\u00a030.',
    expiryPast: 'Thẻ này đã hết hạn.',
    securityCode: (digits) => `Nhập ${digits} chữ số của mã bảo mật.`,
    zip: 'Nhập mã bưu chính gồm 5 hoặc 9 chữ số.',
    postcode: 'Nhập mã bưu chính theo cách viết của quốc gia này.',
    routing: 'Số định tuyến này không hợp lệ. Hãy kiểm tra 9 chữ số.',
    bankAccount: 'Nhập số tài khoản từ 4 đến 17 chữ số.',
    amount: 'Nhập số tiền, ví dụ 25,00.',
    amountRange: (min, max) => `Nhập số tiền từ ${min} đến ${max}.`,
    nothingChosen: 'Chọn ít nhất một tài khoản để thanh toán.',
    noMethod: 'Chọn phương thức thanh toán.',
    date: 'Chọn ngày.',
    dateRange: (from, to) => `Chọn ngày từ ${from} đến ${to}.`,
    terms: 'Hãy đồng ý với các điều khoản để tiếp tục.',
    phone: 'Nhập số điện thoại có mã vùng.',
    phoneNeeded: 'Cần số điện thoại để nhận tin nhắn.',
    tooLong: 'Nội dung này quá dài.',
    methodRemoved: 'Phương thức thanh toán này đã bị xóa. Hãy chọn phương thức khác.',
    methodNotOffered: 'Phương thức thanh toán này không có tại đây. Hãy chọn phương thức khác.',
    notAccepted: 'Không được chấp nhận. Hãy kiểm tra, hoặc dùng phương thức thanh toán khác.',
  },
  account: {
    balance: 'Số dư',
    issued: 'Ngày lập hóa đơn',
    phone: 'Điện thoại',
    address: 'Địa chỉ',
  },
};

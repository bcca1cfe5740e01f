import { plural } from '../plural.js';
import { rest } from './rest.js';

/** What the payment page says in English once something was sent: read behind its first paint. */
export const after = {
  paying: 'Processing…',
  payingStatus: 'Processing your payment. Please keep this page open.',
  declined: 'Your payment was declined. You have not been charged.',
  declinedHint: 'Check the details, or use another payment method.',
  declineAdvice: {
    insufficient_funds: 'There isn’t enough money available. Use another payment method.',
    card_expired: 'This card has expired. Check the date, or use another card.',
    wrong_code: 'The security code is not correct. Check it and try again.',
    wrong_zip: 'The ZIP code doesn’t match this card. Check it and try again.',
  },
  attemptsLeft: (count: number) =>
    plural('en', count, { one: 'One attempt is left.', other: `${count} attempts are left.` }),
  neverArrived: 'Your payment did not reach us, and you have not been charged.',
  neverArrivedHint: 'Select Pay to try again. You won’t be charged twice.',
  tooMany: {
    title: 'No attempts are left',
    body: (business: string) =>
      `Your payment didn’t go through after several tries. You haven’t been charged. Go back to ${business} and start again with another payment method.`,
  },
  unavailable: {
    title: 'We can’t take payments right now',
    body: (business: string) => `You have not been charged. Contact ${business} to pay another way.`,
  },
  checking: {
    title: 'Checking your payment',
    titleProcessing: 'Your payment is being processed',
    dropped: (amount: string) =>
      `Your connection dropped while we were sending your ${amount} payment. We’re checking whether it went through.`,
    processing: (amount: string) =>
      `Your payment of ${amount} has been received and is being processed. This can take a moment.`,
    offline: 'We still can’t connect. We’ll keep trying.',
    noRepeat: 'Don’t pay again. The result will show up here.',
    now: 'Check now',
  },
  challenge: {
    title: 'Confirm it’s you',
    body: (amount: string) => `Your bank asks you to confirm your payment of ${amount}.`,
    frame: 'Your bank’s confirmation',
    cancel: 'Cancel payment',
  },
  complete: 'Payment complete',
  submitted: 'Payment submitted',
  completeBody: (business: string) => `Thank you. ${business} has received your payment.`,
  submittedBody: (business: string) =>
    `Thank you. Your bank payment to ${business} is on its way. It usually clears in two business days and can still be returned by your bank.`,
  failed: {
    title: 'The payment was returned',
    body: (business: string) =>
      `Your bank returned this payment, so it was not completed. Go back to ${business} to pay again.`,
  },
  over: {
    title: 'The receipt is no longer shown here',
    body: (business: string) =>
      `This payment went through. Receipts are shown here for one day. Go to ${business} to see what you paid.`,
  },
  receipt: 'Receipt',
  receiptNumber: 'Receipt number',
  account: 'Account',
  paidBy: 'Paid by',
  takenBy: 'Taken by',
  paidOn: 'Paid on',
  submittedOn: 'Submitted on',
  paidWith: 'Paid with',
  amountPaid: 'Amount paid',
  amountSubmitted: 'Amount submitted',
  methodSaved: 'This payment method is saved for next time.',
  continueTo: (business: string) => `Continue to ${business}`,
  next: {
    autopay: 'Turn on AutoPay',
    paperless: 'Go paperless',
  },
  returnToStart: 'Return to where you started',
  emailReceipt: {
    label: 'E-mail address',
    send: 'E-mail this receipt',
    sent: (address: string) => `Sent to ${address}.`,
    invalid: 'Enter an e-mail address such as ada@example.com.',
    failed: 'We couldn’t send it. Try again later, or print it.',
  },
  print: 'Print',
};

export default { rest, part: after };

import { plural } from '../plural.js';

/** What hosted pages say besides, and no first form of a payment, in English. */
export const rest = {
  common: {
    held: 'Your payment is being processed.',
    cancel: 'Cancel',
    close: 'Close',
    done: 'Done',
    leavePayment: 'Leave this payment?',
    leaveUnsaved: 'Leave without saving?',
    leaveHint: 'What you entered won’t be saved.',
    stay: 'Stay',
    leave: 'Leave',
    tryAgain: 'Try again',
    startAgain: 'Start again',
    privacyManage: (business: string) => `Provided on behalf of ${business} by its payment provider.`,
    endsSoon: (minutes: number) =>
      plural('en', minutes, {
        one: 'This session ends in less than a minute.',
        other: `This session ends in ${minutes} minutes.`,
      }),
    youMayClose: 'All done. You can close this page.',
    errorsTitle: (count: number) =>
      plural('en', count, {
        one: '1 field needs attention',
        other: `${count} fields need attention`,
      }),
    allSet: 'All set',
    allSetBody: 'Your changes are saved.',
    backToManage: 'Make another change',
  },
  problem: {
    expired: {
      title: 'This session has expired',
      body: (business: string) =>
        `For your security, this page closes after a while. Go back to ${business} and start again.`,
    },
    canceled: {
      title: 'This session was canceled',
      body: (business: string) =>
        `${business} has closed it. Nothing was charged. Go back to ${business} to see what is left to do.`,
    },
    unauthorized: {
      title: 'This link is not complete',
      body: (business: string) =>
        `Part of the link is missing or was changed. Go back to ${business} and open it again.`,
    },
    unreachable: {
      title: 'The payment service cannot be reached',
      body: 'Check your connection and try again.',
    },
    broken: {
      title: 'Something went wrong on our side',
      body: 'Try again in a moment.',
    },
    notAllowed: {
      title: 'This page was opened from a place that is not allowed',
      body: (origin: string) =>
        `Go back and start again. If this is your site, add ${origin} to the business unit's allowed origins.`,
    },
    silentFrame: {
      title: 'This page was not opened the right way',
      body: 'Go back and start again. Site owner: the page around this one did not answer; open the session with the SDK from an allowed origin.',
    },
  },
  failure: {
    unreachable: 'The connection dropped. Check it and try again: nothing is done twice.',
    internal: 'Something went wrong on our side. Try again in a moment: nothing is done twice.',
    conflict: 'This was changed somewhere else. Reload the page to see the latest.',
    tooMany: 'You have changed a lot in a short time. Wait a minute and try again.',
    notFound: 'This is no longer there. Reload the page.',
    invalid: 'Something you entered wasn’t accepted. Check it and try again.',
    unavailable: 'You can’t add or use payment methods right now. You haven’t been charged.',
    noProcessor: 'Online payments aren’t set up here yet.',
  },
  method: {
    usedByAutopay: 'Used by AutoPay',
    usedByScheduled: 'Used by a scheduled payment',
    country: 'Country or region',
    postcode: 'Postal code',
    accountType: 'Account type',
    checking: 'Checking',
    savings: 'Savings',
    holder: 'Account holder',
    routing: 'Routing number',
    routingHint: '9 digits, at the bottom left of a check',
    accountNumber: 'Bank account number',
    accountBack: (number: string) => `Check it: ${number}`,
    none: 'No payment method is available',
    noneBody: (business: string) =>
      `None of the ways to pay this bill are available here. Contact ${business} to pay another way.`,
  },
  invalid: {
    required: (label: string) => `Enter this: ${label}`,
    cardShort: 'Your card number is incomplete.',
    cardNumber: 'Your card number isn’t valid. Check it and try again.',
    expiry: 'Enter month and year as MM\u00a0/\u00a0YY.',
    expiryPast: 'This card has expired.',
    securityCode: (digits: number) => `Enter the ${digits} digits of the security code.`,
    zip: 'Enter a ZIP code of 5 or 9 digits.',
    postcode: 'Enter the postal code as it is written in this country.',
    routing: 'This routing number is not valid. Check its 9 digits.',
    bankAccount: 'Enter an account number of 4 to 17 digits.',
    amount: 'Enter an amount, such as 25.00.',
    amountRange: (min: string, max: string) => `Enter an amount from ${min} to ${max}.`,
    nothingChosen: 'Choose at least one account to pay.',
    noMethod: 'Choose a payment method.',
    date: 'Choose a date.',
    dateRange: (from: string, to: string) => `Choose a date from ${from} to ${to}.`,
    terms: 'Agree to the terms to continue.',
    phone: 'Enter a phone number with area code.',
    phoneNeeded: 'Enter a phone number to get text messages.',
    tooLong: 'This is too long.',
    methodRemoved: 'This payment method was removed. Choose another.',
    methodNotOffered: 'This payment method is not offered here. Choose another.',
    notAccepted: 'We couldn’t accept this. Check it or use another payment method.',
  },
  account: {
    balance: 'Balance',
    issued: 'Issued',
    phone: 'Phone',
    address: 'Address',
  },
};

import type { RestText } from '../catalog.js';
import { plural } from '../plural.js';

/** What hosted pages say besides, and no first form of a payment, in Tagalog. */
export const rest: RestText = {
  common: {
    held: 'Pinoproseso ang iyong bayad.',
    cancel: 'Kanselahin',
    close: 'Isara',
    done: 'Tapos na',
    leavePayment: 'Umalis sa pagbabayad na ito?',
    leaveUnsaved: 'Umalis nang hindi nagse-save?',
    leaveHint: 'Hindi mase-save ang inilagay mo.',
    stay: 'Manatili',
    leave: 'Umalis',
    tryAgain: 'Subukan muli',
    startAgain: 'Magsimula muli',
    privacyManage: (business) => `Ibinibigay para sa ${business} ng serbisyo nito sa pagbabayad.`,
    endsSoon: (minutes) =>
      minutes === 1
        ? 'Matatapos ang session na ito sa loob ng wala pang isang minuto.'
        : plural('tl', minutes, {
            one: `Matatapos ang session na ito sa loob ng ${minutes} minuto.`,
            other: `Matatapos ang session na ito sa loob ng ${minutes} na minuto.`,
          }),
    youMayClose: 'Tapos na. Maaari mo nang isara ang page na ito.',
    errorsTitle: (count) =>
      plural('tl', count, {
        one: `May ${count} bagay na dapat mong ayusin`,
        other: `May ${count} na bagay na dapat mong ayusin`,
      }),
    allSet: 'Ayos na',
    allSetBody: 'Nai-save na ang iyong mga pagbabago.',
    backToManage: 'Gumawa ng isa pang pagbabago',
  },
  problem: {
    expired: {
      title: 'Nag-expire na ang session na ito',
      body: (business) =>
        `Para sa iyong seguridad, bukas lang ito sa limitadong panahon. Bumalik sa ${business} at magsimula muli.`,
    },
    canceled: {
      title: 'Kinansela ang session na ito',
      body: (business) =>
        `Isinara ito ng ${business}. Walang nasingil. Bumalik sa ${business} para makita ang natitirang gagawin.`,
    },
    unauthorized: {
      title: 'Hindi kumpleto ang link na ito',
      body: (business) => `May kulang o nabagong bahagi. Bumalik sa ${business} at buksan itong muli.`,
    },
    unreachable: {
      title: 'Hindi maabot ang serbisyo sa pagbabayad',
      body: 'Suriin ang iyong koneksyon at subukan muli.',
    },
    broken: {
      title: 'Nagkaroon ng problema sa aming panig',
      body: 'Subukan muli maya-maya.',
    },
    notAllowed: {
      title: 'Binuksan ang page na ito mula sa lugar na hindi pinapayagan',
      body: (origin) =>
        `Bumalik at magsimula muli. Kung sa iyo ang site na ito, idagdag ang ${origin} sa mga pinapayagang origin ng business unit.`,
    },
    silentFrame: {
      title: 'Hindi tama ang pagbukas ng page na ito',
      body: 'Hindi sumagot ang page na nakapaligid dito. Bumalik at magsimula muli. Kung sa iyo ang site na ito, buksan ang session gamit ang SDK mula sa isa sa mga pinapayagang origin.',
    },
  },
  failure: {
    unreachable:
      'Naputol ang koneksyon. Suriin ito at subukan muli: hindi ito mapoproseso nang dalawang beses.',
    internal:
      'Nagkaroon ng problema sa aming panig. Subukan muli maya-maya: hindi ito mapoproseso nang dalawang beses.',
    conflict: 'Nagbago na ito kaya hindi nagawa. I-reload ang page para makita ang kasalukuyang lagay.',
    tooMany: 'Marami kang binago sa maikling panahon. Maghintay ng isang minuto at subukan muli.',
    notFound: 'Wala na ito. I-reload ang page para makita ang kasalukuyang lagay.',
    invalid: 'Hindi ito tinanggap. Suriin ang inilagay mo.',
    unavailable:
      'Hindi maaaring magdagdag o gumamit ng paraan ng pagbabayad dito ngayon, at walang nasingil.',
    noProcessor: 'Hindi pa available dito ang online na pagbabayad.',
  },
  method: {
    usedByAutopay: 'Ginagamit ng AutoPay',
    usedByScheduled: 'Ginagamit ng naka-iskedyul na bayad',
    country: 'Bansa o rehiyon',
    postcode: 'Postal code',
    accountType: 'Uri ng account',
    checking: 'Checking',
    savings: 'Savings',
    holder: 'May-ari ng account',
    routing: 'Routing number',
    routingHint: '9 na numero, sa kaliwang ibaba ng tseke',
    accountNumber: 'Numero ng bank account',
    accountBack: (number) => `Pakisuri: ${number}`,
    none: 'Walang magagamit na paraan ng pagbabayad',
    noneBody: (business) =>
      `Hindi inaalok dito ang mga paraan ng pagbabayad na hinihingi ng session na ito. Makipag-ugnayan sa ${business} para magbayad sa ibang paraan.`,
  },
  invalid: {
    required: (label) => `Kailangan: ${label}.`,
    cardShort: 'Hindi kumpleto ang numero ng card.',
    cardNumber: 'Hindi valid ang numero ng card. Suriin ang mga numero.',
    expiry: 'Ilagay ang buwan at taon bilang MM\u00a0/\u00a0YY.',
    expiryPast: 'Expired na ang card na ito.',
    securityCode: (digits) => `Ilagay ang ${digits}-digit na security code.`,
    zip: 'Maglagay ng 5- o 9-digit na ZIP code.',
    postcode: 'Ilagay ang postal code ayon sa anyo nito sa bansang ito.',
    routing: 'Hindi valid ang routing number. Suriin ang 9 na numero.',
    bankAccount: 'Maglagay ng account number na may 4 hanggang 17 numero.',
    amount: 'Maglagay ng halaga, gaya ng 25.00.',
    amountRange: (min, max) => `Maglagay ng halaga mula ${min} hanggang ${max}.`,
    nothingChosen: 'Pumili ng kahit isang account na babayaran.',
    noMethod: 'Pumili ng paraan ng pagbabayad.',
    date: 'Pumili ng petsa.',
    dateRange: (from, to) => `Pumili ng petsa mula ${from} hanggang ${to}.`,
    terms: 'Sumang-ayon sa mga tuntunin para magpatuloy.',
    phone: 'Maglagay ng numero ng telepono na may area code.',
    phoneNeeded: 'Kailangan ng numero ng telepono para sa mga text message.',
    tooLong: 'Masyado itong mahaba.',
    methodRemoved: 'Tinanggal na ang paraan ng pagbabayad na ito. Pumili ng iba.',
    methodNotOffered: 'Hindi inaalok dito ang paraan ng pagbabayad na ito. Pumili ng iba.',
    notAccepted: 'Hindi ito tinanggap. Suriin ito, o gumamit ng ibang paraan ng pagbabayad.',
  },
  account: {
    balance: 'Balanse',
    issued: 'Petsa ng bill',
    phone: 'Telepono',
    address: 'Address',
  },
};

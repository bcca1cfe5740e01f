import type { RestText } from '../catalog.js';

/** What hosted pages say besides, and no first form of a payment, in Haitian Creole. */
export const rest: RestText = {
  common: {
    held: 'N ap trete peman ou a.',
    cancel: 'Anile',
    close: 'Fèmen',
    done: 'Fini',
    leavePayment: 'Kite peman sa a?',
    leaveUnsaved: 'Kite paj la san anrejistre?',
    leaveHint: 'Sa ou te tape a p ap konsève.',
    stay: 'Rete',
    leave: 'Kite',
    tryAgain: 'Eseye ankò',
    startAgain: 'Rekòmanse',
    privacyManage: (business) => `Se sèvis peman ${business} a ki bay paj sa a.`,
    endsSoon: (minutes) => `Sesyon sa a ap fini nan ${minutes} minit.`,
    youMayClose: 'Tout bagay fini. Ou ka fèmen paj sa a.',
    errorsTitle: (count) => `Gen ${count} bagay pou w verifye`,
    allSet: 'Tout bagay anfòm',
    allSetBody: 'Chanjman ou yo anrejistre.',
    backToManage: 'Fè yon lòt chanjman',
  },
  problem: {
    expired: {
      title: 'Sesyon sa a ekspire',
      body: (business) =>
        `Pou sekirite w, li rete ouvè pou yon tan limite. Retounen sou ${business} epi rekòmanse.`,
    },
    canceled: {
      title: 'Sesyon sa a anile',
      body: (business) =>
        `${business} fèmen l. Yo pa pran okenn lajan. Retounen sou ${business} pou wè sa ki rete pou fèt.`,
    },
    unauthorized: {
      title: 'Lyen sa a pa konplè',
      body: (business) => `Gen yon pati ki manke oswa ki chanje. Retounen sou ${business} epi louvri l ankò.`,
    },
    unreachable: {
      title: 'Nou pa ka jwenn sèvis peman an',
      body: 'Verifye koneksyon w epi eseye ankò.',
    },
    broken: {
      title: 'Gen yon pwoblèm bò kote pa nou',
      body: 'Eseye ankò talè.',
    },
    notAllowed: {
      title: 'Paj sa a louvri sou yon sit ki pa otorize',
      body: (origin) =>
        `Retounen epi rekòmanse. Si se sit ou, ajoute ${origin} nan orijin inite biznis la otorize yo.`,
    },
    silentFrame: {
      title: 'Paj sa a pa louvri jan li dwe louvri',
      body: 'Paj ki antoure l la pa reponn. Retounen epi rekòmanse. Si se sit ou, louvri sesyon an ak SDK a, depi youn nan orijin ki otorize yo.',
    },
  },
  failure: {
    unreachable: 'Koneksyon an koupe. Verifye l epi eseye ankò: yo p ap fè operasyon an de fwa.',
    internal: 'Gen yon pwoblèm bò kote pa nou. Eseye ankò talè: yo p ap fè operasyon an de fwa.',
    conflict:
      'Sitiyasyon an chanje pandan tan sa a, kidonk sa pa t ka fèt. Rechaje paj la pou wè kote bagay yo ye.',
    tooMany: 'Ou fè anpil chanjman nan yon ti tan kout. Tann yon minit epi eseye ankò.',
    notFound: 'Sa pa la ankò. Rechaje paj la pou wè kote bagay yo ye.',
    invalid: 'Sèvis la pa aksepte sa. Verifye sa ou antre a.',
    unavailable: 'Kounye a ou pa ka ajoute ni itilize mwayen peman isit la, epi yo pa pran okenn lajan.',
    noProcessor: 'Peman sou entènèt poko disponib isit la.',
  },
  method: {
    usedByAutopay: 'Peman otomatik sèvi ak li',
    usedByScheduled: 'Yon peman pwograme sèvi ak li',
    country: 'Peyi oswa rejyon',
    postcode: 'Kòd postal',
    accountType: 'Kalite kont',
    checking: 'Kont chèk',
    savings: 'Kont epay',
    holder: 'Mèt kont la',
    routing: 'Nimewo routing labank lan',
    routingHint: '9 chif, anba agoch sou yon chèk',
    accountNumber: 'Nimewo kont labank',
    accountBack: (number) => `Verifye l: ${number}`,
    none: 'Pa gen mwayen peman ki disponib',
    noneBody: (business) =>
      `Mwayen peman sesyon sa a mande yo pa disponib isit la. Kontakte ${business} pou w peye yon lòt jan.`,
  },
  invalid: {
    required: (label) => `Ou dwe ranpli: ${label}.`,
    cardShort: 'Nimewo kat la pa konplè.',
    cardNumber: 'Nimewo kat sa a pa bon. Verifye chif yo.',
    expiry: 'Antre mwa ak ane konsa: MM\u00a0/\u00a0AA.',
    expiryPast: 'Kat sa a ekspire.',
    securityCode: (digits) => `Antre ${digits} chif kòd sekirite a.`,
    zip: 'Antre yon kòd postal ki gen 5 oswa 9 chif.',
    postcode: 'Antre kòd postal la jan yo ekri l nan peyi sa a.',
    routing: 'Nimewo routing sa a pa bon. Verifye 9 chif yo.',
    bankAccount: 'Antre yon nimewo kont ki gen 4 a 17 chif.',
    amount: 'Antre yon montan, tankou 25,00.',
    amountRange: (min, max) => `Antre yon montan ant ${min} ak ${max}.`,
    nothingChosen: 'Chwazi omwen yon kont pou w peye.',
    noMethod: 'Chwazi yon mwayen peman.',
    date: 'Chwazi yon dat.',
    dateRange: (from, to) => `Chwazi yon dat ant ${from} ak ${to}.`,
    terms: 'Dakò ak kondisyon yo pou w kontinye.',
    phone: 'Antre yon nimewo telefòn ak kòd zòn nan.',
    phoneNeeded: 'Fòk gen yon nimewo telefòn pou mesaj tèks yo.',
    tooLong: 'Sa twò long.',
    methodRemoved: 'Mwayen peman sa a retire. Chwazi yon lòt.',
    methodNotOffered: 'Mwayen peman sa a pa disponib isit la. Chwazi yon lòt.',
    notAccepted: 'Yo pa aksepte sa. Verifye l, oswa sèvi ak yon lòt mwayen peman.',
  },
  account: {
    balance: 'Balans',
    issued: 'Dat fakti a',
    phone: 'Telefòn',
    address: 'Adrès',
  },
};
